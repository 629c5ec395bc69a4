// swift-tools-version: 6.2
import PackageDescription

// Fuzzers of the libraries. Scripts/fuzz builds and runs them. All checks are in FuzzSupport.
//
// The fuzzers use package declarations of the libraries, so they are compiled with the name of the libraries' package.
// SwiftPM derives this name from the folder.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last?.lowercased() ?? ""
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
  .unsafeFlags(["-package-name", String(folder.map { $0.isLetter || $0.isNumber ? $0 : "_" })]),
]

let library: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
]

let fuzzers = [
  "fuzz-movie", "fuzz-metadata", "fuzz-metadata-forms", "fuzz-chapters", "fuzz-chapter-files", "fuzz-add-subtitle",
  "fuzz-flatten", "fuzz-fragment-times",
  "fuzz-subrip", "fuzz-webvtt", "fuzz-text", "fuzz-atoms", "fuzz-hls", "fuzz-requests", "fuzz-convert",
  "fuzz-tracks", "fuzz-pairs", "fuzz-scc", "fuzz-mcc", "fuzz-cdp", "fuzz-mebx",
  "fuzz-gpmf", "fuzz-camm", "fuzz-gpx",
  "fuzz-sei",
]

// The fuzzers of the library for C.
let callFuzzers = ["fuzz-words", "fuzz-callbacks"]

let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "movtool", path: "..")],
  targets: [
    .target(
      name: "FuzzSupport",
      dependencies: [
        .product(name: "MovieBox", package: "movtool"),
        .product(name: "MovieStreaming", package: "movtool"),
        .product(name: "MovieWriter", package: "movtool"),
        .product(name: "Subtitles", package: "movtool"),
      ],
      packageAccess: false,  // The settings declare the package name instead.
      swiftSettings: settings),
    // The library for C, by links to its sources. As a product of its package, it would hide the functions of libFuzzer.
    .systemLibrary(name: "CMovtool"),
    .target(
      name: "MovtoolC",
      dependencies: [
        "CMovtool",
        .product(name: "MovieBox", package: "movtool"),
        .product(name: "MovieStreaming", package: "movtool"),
        .product(name: "MovieWriter", package: "movtool"),
        .product(name: "MovtoolCommands", package: "movtool"),
      ],
      packageAccess: false, swiftSettings: settings + library),
    .target(
      name: "FuzzCalls", dependencies: ["CMovtool", "FuzzSupport", "MovtoolC"], packageAccess: false,
      swiftSettings: settings),
  ]
    + (fuzzers + callFuzzers).map { name in
      .executableTarget(
        name: name, dependencies: callFuzzers.contains(name) ? ["FuzzCalls", "FuzzSupport"] : ["FuzzSupport"],
        packageAccess: false,
        swiftSettings: settings + [.enableExperimentalFeature("Extern")])
    }
)
