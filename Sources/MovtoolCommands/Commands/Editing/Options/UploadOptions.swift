import MovieBox
import MovieWriter

/// The options for uploads to an object store that contains the movie.
///
/// A plan divides the output into parts. The store copies some of the parts. The other parts are written to files,
/// which any client of the store can send.
struct UploadOptions: Equatable, Sendable {
  /// Whether the output has the layout for object stores.
  let usesStoreLayout: Bool
  /// The sizes of the parts, or `nil` if none are specified.
  let sizes: OutputPlan.PartSizes?
  /// The folder for the parts to send, or `nil` if they are not written.
  let folder: String?

  static let all = [
    OptionSpec(
      "layout", value: OptionValue("LAYOUT", .words(["store"])),
      "with -o: store new samples together, for object stores"),
    OptionSpec("part-size", value: "MIN,MAX", "with --dry-run --json: sizes of parts[]; default: 5M,5G"),
    OptionSpec("part-count", value: "N", "with --dry-run --json: limit of parts[]; default: 10000"),
    OptionSpec(
      "parts-to", value: OptionValue("FOLDER", .file), "with --dry-run --json: write the new parts to FOLDER"),
  ]

  /// Reads the options. `isPlan` is true for a dry run in JSON. `hasOutput` is true if a new file is planned.
  init(_ arguments: Arguments, isPlan: Bool, hasOutput: Bool) throws(UsageError) {
    if !isPlan {
      try arguments.refuse(["part-size", "part-count", "parts-to"], "requires --dry-run --json, which lists the parts")
    }
    if let layout = arguments.value("layout") {
      guard layout == "store" else { throw UsageError(.invalidValue, "--layout \(layout): use store") }
      guard hasOutput else { throw UsageError(.conflict, "--layout requires -o, because it arranges a new file") }
    }
    usesStoreLayout = arguments.contains("layout")
    folder = arguments.value("parts-to")
    guard folder?.isEmpty != true else { throw UsageError(.missingValue, "--parts-to requires a value: FOLDER") }
    sizes = try Self.sizes(arguments)
  }

  private static func sizes(_ arguments: Arguments) throws(UsageError) -> OutputPlan.PartSizes? {
    var (smallest, largest) = (OutputPlan.PartSizes.s3.smallest, OutputPlan.PartSizes.s3.largest)
    var count = OutputPlan.PartSizes.s3.count
    guard arguments.contains("part-size") || arguments.contains("part-count") else { return nil }
    if let text = arguments.value("part-size") {
      let values = text.split(separator: ",", omittingEmptySubsequences: false).map { ByteQuantity.bytes($0) }
      guard values.count == 2, let first = values[0], let last = values[1],
        OutputPlan.PartSizes(smallest: first, largest: last) != nil
      else {
        throw UsageError(
          .invalidValue,
          "--part-size \(text): specify MIN,MAX, such as 5M,5G; a size is a number of bytes or ends in K, M or G; "
            + "MIN must be at least 1, and MAX at least twice MIN")
      }
      (smallest, largest) = (first, last)
    }
    if let text = arguments.value("part-count") {
      guard let number = Int(text), (1...maximumCount).contains(number) else {
        throw UsageError(.invalidValue, "--part-count \(text): specify 1 to \(maximumCount)")
      }
      count = number
    }
    return OutputPlan.PartSizes(smallest: smallest, largest: largest, count: count)
  }

  /// The largest `--part-count`. The answer lists every part.
  private static let maximumCount = 100_000
}
