// swift-tools-version: 6.2
import PackageDescription

// What the tool has no command for, timed from inside; Scripts/bench builds and runs it.
//
// It looks inside of the libraries, and so is compiled as if it were part of their package, whose name SwiftPM takes from
// the folder.
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
      packageAccess: false,  // Of a package of its own.
      swiftSettings: [
        .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
        .unsafeFlags(["-package-name", String(folder.map { $0.isLetter || $0.isNumber ? $0 : "_" })]),
      ])
  ]
)
