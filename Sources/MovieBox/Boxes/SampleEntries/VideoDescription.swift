import Subtitles

/// What a video sample description says: the body of a ``SampleEntry`` (QTFF "Video Sample Description").
package struct VideoDescription {
  /// The version of the compressed data, which the format of the samples defines.
  package var version: UInt16
  /// 0.
  package var revision: UInt16
  /// Who made the compressor.
  package var vendor: FourCC
  /// 0 to 1023; 0 in ISO files.
  package var temporalQuality: UInt32
  /// 0 to 1024; 0 in ISO files.
  package var spatialQuality: UInt32
  /// The width in pixels.
  package var width: UInt16
  /// The height in pixels.
  package var height: UInt16
  /// Pixels per inch, 16.16.
  package var horizontalResolution: UInt32
  /// Pixels per inch, 16.16.
  package var verticalResolution: UInt32
  /// 0.
  package var dataSize: UInt32
  /// How many frames a sample holds; 1.
  package var framesPerSample: UInt16
  /// The compressor's name as it stands: 32 bytes, the first counts those that matter.
  package var compressorNameBytes: Bytes
  /// The depth in bits; 0x18 in most files.
  package var depth: UInt16
  /// -1 where there is no color table.
  package var colorTableID: Int16
  /// What follows the known fields: a color table in old files, atoms in others.
  package var tail: Bytes

  /// A description of these values.
  package init(
    version: UInt16 = 0, revision: UInt16 = 0, vendor: FourCC = FourCC(rawValue: 0), temporalQuality: UInt32 = 0,
    spatialQuality: UInt32 = 0, width: UInt16, height: UInt16, horizontalResolution: UInt32 = 0x48_0000,
    verticalResolution: UInt32 = 0x48_0000, dataSize: UInt32 = 0, framesPerSample: UInt16 = 1,
    compressorNameBytes: Bytes = Bytes([UInt8](repeating: 0, count: 32)), depth: UInt16 = 0x18,
    colorTableID: Int16 = -1, tail: Bytes = Bytes()
  ) {
    self.version = version
    self.revision = revision
    self.vendor = vendor
    self.temporalQuality = temporalQuality
    self.spatialQuality = spatialQuality
    self.width = width
    self.height = height
    self.horizontalResolution = horizontalResolution
    self.verticalResolution = verticalResolution
    self.dataSize = dataSize
    self.framesPerSample = framesPerSample
    self.compressorNameBytes = compressorNameBytes
    self.depth = depth
    self.colorTableID = colorTableID
    self.tail = tail
  }

  /// Parses the body of a sample entry. Throws when it ends early.
  package init(body: Bytes) throws(MovieError) {
    try self.init(payload: body)
  }

  /// The name of the compressor; empty in many files.
  package var compressorName: String {
    guard let first = compressorNameBytes.first else { return "" }
    let counted = compressorNameBytes.slice(at: 1, count: Int(first)) ?? compressorNameBytes.dropFirst(1)
    return counted.withoutTrailingNULs.utf8OrMacRomanText
  }
}

extension VideoDescription: FieldedPayload {
  package static var unread: VideoDescription { VideoDescription(width: 0, height: 0) }

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
