// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SubtitleService",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "movtool", path: "../.."),
    // The traits are disabled, because this service does not need them and each trait adds packages.
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "subtitle-service",
      dependencies: [
        .product(name: "MovieBox", package: "movtool"),
        .product(name: "MovieStreaming", package: "movtool"),
        .product(name: "MovieWriter", package: "movtool"),
        .product(name: "Subtitles", package: "movtool"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ],
      path: "Sources",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
  ]
)
