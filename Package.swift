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
    .library(name: "Subtitles", targets: ["Subtitles"]),
    .library(name: "MovieBox", targets: ["MovieBox"]),
    .library(name: "MovieWriter", targets: ["MovieWriter"]),
    .library(name: "MovieStreaming", targets: ["MovieStreaming"]),
    .library(name: "MovtoolCommands", targets: ["MovtoolCommands"]),
    .executable(name: "movtool", targets: ["movtool"]),
  ],
  dependencies: [],
  targets: [
    .target(name: "Subtitles", swiftSettings: strict),
    // `Extern` reaches the C library's extended attributes, which its Swift module hides.
    .target(
      name: "MovieBox", dependencies: ["Subtitles"], swiftSettings: strict + [.enableExperimentalFeature("Extern")]),
    .target(name: "MovieWriter", dependencies: ["MovieBox", "Subtitles"], swiftSettings: strict),
    .target(
      name: "MovieStreaming", dependencies: ["MovieWriter", "MovieBox", "Subtitles"],
      resources: [
        "page.html", "page.css", "page.js", "memory.js", "peek.js", "stream.js", "route.js", "report.css", "texts.txt",
      ].map { .embedInCode("Page/Web/" + $0) },
      swiftSettings: strict),
    // The commands are a library so that other programs of this package can run them in their own process.
    .target(
      name: "MovtoolCommands", dependencies: ["MovieStreaming", "MovieWriter", "MovieBox", "Subtitles"],
      swiftSettings: strict),
    .executableTarget(name: "movtool", dependencies: ["MovtoolCommands", "MovieBox"], swiftSettings: strict),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    .target(
      name: "SubtitleTestSupport", dependencies: ["Subtitles"], path: "Tests/SubtitleTestSupport", swiftSettings: strict
    ),
    .target(
      name: "DiskTestSupport", dependencies: ["MovieWriter", "MovieBox"], path: "Tests/DiskTestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "SubtitlesTests", dependencies: ["Subtitles", "MovieBox", "SubtitleTestSupport", "TestSupport"],
      swiftSettings: testing),
    .testTarget(name: "MovieBoxTests", dependencies: ["MovieBox", "Subtitles", "TestSupport"], swiftSettings: testing),
    .testTarget(
      name: "MovieWriterTests",
      dependencies: ["MovieWriter", "MovieBox", "Subtitles", "DiskTestSupport", "SubtitleTestSupport", "TestSupport"],
      swiftSettings: testing),
    .testTarget(
      name: "MovieStreamingTests",
      dependencies: ["MovieStreaming", "MovieWriter", "MovieBox", "Subtitles", "DiskTestSupport", "TestSupport"],
      swiftSettings: testing),
    .testTarget(
      name: "MovtoolTests",
      dependencies: [
        "movtool", "MovtoolCommands", "MovieStreaming", "MovieWriter", "MovieBox", "Subtitles", "TestSupport",
      ],
      swiftSettings: testing),
  ]
)
