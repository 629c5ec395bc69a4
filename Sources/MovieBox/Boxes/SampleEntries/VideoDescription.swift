import Subtitles

/// A video sample description: the body of a ``SampleEntry`` (QTFF "Video Sample Description").
package struct VideoDescription {
  /// The version of the compressed data, as defined by the sample format.
  package var version: UInt16 = 0
  package var revision: UInt16 = 0
  /// The vendor of the compressor.
  package var vendor = FourCC(rawValue: 0)
  /// The temporal quality, from 0 to 1023. It is 0 in ISO files.
  package var temporalQuality: UInt32 = 0
  /// The spatial quality, from 0 to 1024. It is 0 in ISO files.
  package var spatialQuality: UInt32 = 0
  package var width: UInt16
  package var height: UInt16
  /// The horizontal resolution in pixels per inch, as a 16.16 number.
  package var horizontalResolution: UInt32 = 0x48_0000
  /// The vertical resolution in pixels per inch, as a 16.16 number.
  package var verticalResolution: UInt32 = 0x48_0000
  /// The data size. It is always 0.
  package var dataSize: UInt32 = 0
  /// The number of frames in a sample. It is usually 1.
  package var framesPerSample: UInt16 = 1
  /// The compressor name as stored: 32 bytes, beginning with the length of the name.
  package var compressorNameBytes = Bytes.zeros(32)
  /// The depth in bits. It is 24 in most files.
  package var depth: UInt16 = 0x18
  /// The ID of the color table, or -1 if the file contains none.
  package var colorTableID: Int16 = -1
  /// The bytes after the known fields. They contain atoms or, in old files, a color table.
  package var tail = Bytes()

  /// The compressor name. It is empty in many files.
  package var compressorName: String {
    guard let first = compressorNameBytes.first else { return "" }
    let countedBytes = compressorNameBytes.slice(at: 1, count: Int(first)) ?? compressorNameBytes.dropFirst(1)
    return countedBytes.withoutTrailingNULs.utf8OrMacRomanText
  }
}

extension VideoDescription: FieldedPayload {
  /// Parses the body of a sample entry. Throws if the body ends too early.
  package init(body: Bytes) throws(MovieError) {
    try self.init(payload: body)
  }

  package static var placeholder: VideoDescription { VideoDescription(width: 0, height: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&version, "version", .number)
    try visitor.field(&revision, "revision", .number)
    try visitor.field(&vendor, "vendor", .code)
    try visitor.field(&temporalQuality, "temporal quality", .number)
    try visitor.field(&spatialQuality, "spatial quality", .number)
    try visitor.field(&width, "width", .number)
    try visitor.field(&height, "height", .number)
    try visitor.field(&horizontalResolution, "horizontal resolution", .fixed16)
    try visitor.field(&verticalResolution, "vertical resolution", .fixed16)
    try visitor.field(&dataSize, "data size", .number)
    try visitor.field(&framesPerSample, "frames per sample", .number)
    try visitor.field(&compressorNameBytes, "compressor", .bytes(32))
    try visitor.field(&depth, "depth", .number)
    try visitor.field(&colorTableID, "color table", .number)
    try visitor.field(&tail, nil, .rest)
  }
}
