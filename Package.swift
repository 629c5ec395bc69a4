// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

// What is tested in release is the libraries and the tool; optimising the tests themselves takes most of a build.
let testing = strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let package = Package(
  name: "movtool",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "MovieBox", targets: ["MovieBox"]),
    .library(name: "MovieWriter", targets: ["MovieWriter"]),
    .executable(name: "movtool", targets: ["movtool"]),
  ],
  dependencies: [],
  targets: [
    // `Extern` reaches the C library's extended attributes, which its Swift module hides.
    .target(name: "MovieBox", swiftSettings: strict + [.enableExperimentalFeature("Extern")]),
    .target(name: "MovieWriter", dependencies: ["MovieBox"], swiftSettings: strict),
    .executableTarget(name: "movtool", dependencies: ["MovieWriter", "MovieBox"], swiftSettings: strict),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(name: "MovieBoxTests", dependencies: ["MovieBox", "TestSupport"], swiftSettings: testing),
    .testTarget(
      name: "MovieWriterTests", dependencies: ["MovieWriter", "MovieBox", "TestSupport"], swiftSettings: testing),
    .testTarget(
      name: "MovtoolTests", dependencies: ["movtool", "MovieWriter", "MovieBox", "TestSupport"], swiftSettings: testing),
  ]
)
