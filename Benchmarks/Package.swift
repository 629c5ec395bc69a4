// swift-tools-version: 6.2
import PackageDescription

// What the tool has no command for, timed from inside; Scripts/bench builds and runs it.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "movtool", path: "..")],
  targets: [
    .executableTarget(
      name: "from-inside",
      dependencies: [
        .product(name: "MovieBox", package: "movtool"),
        .product(name: "MovieWriter", package: "movtool"),
        .product(name: "Subtitles", package: "movtool"),
      ],
      path: "Sources",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
  ]
)
