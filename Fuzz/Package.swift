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

let fuzzers = [
  "fuzz-movie", "fuzz-metadata", "fuzz-metadata-forms", "fuzz-chapters", "fuzz-chapter-files", "fuzz-add-subtitle",
  "fuzz-flatten", "fuzz-fragment-times",
  "fuzz-subrip", "fuzz-webvtt", "fuzz-text", "fuzz-atoms", "fuzz-hls", "fuzz-requests", "fuzz-convert",
  "fuzz-tracks", "fuzz-pairs", "fuzz-scc", "fuzz-mcc", "fuzz-cdp", "fuzz-mebx",
  "fuzz-gpmf", "fuzz-camm", "fuzz-gpx",
  "fuzz-sei",
]

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
      swiftSettings: settings)
  ]
    + fuzzers.map { name in
      .executableTarget(
        name: name, dependencies: ["FuzzSupport"], packageAccess: false,
        swiftSettings: settings + [.enableExperimentalFeature("Extern")])
    }
)
