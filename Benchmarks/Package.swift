// swift-tools-version: 6.2
import PackageDescription

// Measures functions of the libraries for which the tool has no command. Scripts/bench builds and runs the program.
//
// The program uses package declarations of the libraries, so it is compiled with the name of the libraries' package.
// SwiftPM derives this name from the folder.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last?.lowercased() ?? ""

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
      packageAccess: false,  // The settings declare the package name instead.
      swiftSettings: [
        .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
        .unsafeFlags(["-package-name", String(folder.map { $0.isLetter || $0.isNumber ? $0 : "_" })]),
      ])
  ]
)
