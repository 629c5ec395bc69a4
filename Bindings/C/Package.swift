// swift-tools-version: 6.2
import PackageDescription

// The library for C and other languages. Scripts/bindings builds, tests and packages it.
//
// The library uses package declarations of movtool, so it is compiled with the name of movtool's package. SwiftPM derives
// this name from the folder.
let folder = Context.packageDirectory.split(separator: "/").dropLast(2).last?.lowercased() ?? ""

let package = Package(
  name: "MovtoolC",
  platforms: [.macOS(.v15)],
  products: [.library(name: "movtool-c", type: .dynamic, targets: ["MovtoolC"])],
  dependencies: [.package(name: "movtool", path: "../..")],
  targets: [
    .systemLibrary(name: "CMovtool", path: "include"),
    .target(
      name: "MovtoolC",
      dependencies: [
        "CMovtool",
        .product(name: "MovieBox", package: "movtool"),
        .product(name: "MovieStreaming", package: "movtool"),
        .product(name: "MovieWriter", package: "movtool"),
        .product(name: "MovtoolCommands", package: "movtool"),
      ],
      path: "Sources",
      packageAccess: false,  // The settings declare the package name instead.
      // Almost every line uses pointers of the caller, so strict memory safety would mark every line as unsafe.
      swiftSettings: [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
        .unsafeFlags(["-package-name", String(folder.map { $0.isLetter || $0.isNumber ? $0 : "_" })]),
      ],
      linkerSettings: [
        // Unlike gold, lld hides every other symbol. Swift's runtime cannot be unloaded.
        .unsafeFlags(
          [
            "-use-ld=lld", "-Xlinker", "--version-script=\(Context.packageDirectory)/movtool.map", "-Xlinker", "-z",
            "-Xlinker", "nodelete",
          ],
          .when(platforms: [.linux]))
      ]),
  ]
)
