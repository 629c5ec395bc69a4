import Subtitles

/// What a video sample description says: the body of a ``SampleEntry`` (QTFF "Video Sample Description").
public struct VideoDescription {
  /// The version of the compressed data, which the format of the samples defines.
  public var version: UInt16
  /// 0.
  public var revision: UInt16
  /// Who made the compressor.
  public var vendor: FourCC
  /// 0 to 1023; 0 in ISO files.
  public var temporalQuality: UInt32
  /// 0 to 1024; 0 in ISO files.
  public var spatialQuality: UInt32
  /// The width in pixels.
  public var width: UInt16
  /// The height in pixels.
  public var height: UInt16
  /// Pixels per inch, 16.16.
  public var horizontalResolution: UInt32
  /// Pixels per inch, 16.16.
  public var verticalResolution: UInt32
  /// 0.
  public var dataSize: UInt32
  /// How many frames a sample holds; 1.
  public var framesPerSample: UInt16
  /// The compressor's name as it stands: 32 bytes, the first counts those that matter.
  public var compressorNameBytes: Bytes
  /// The depth in bits; 0x18 in most files.
  public var depth: UInt16
  /// -1 where there is no color table.
  public var colorTableID: Int16
  /// What follows the known fields: a color table in old files, atoms in others.
  public var tail: Bytes

  /// A description of these values.
  public init(
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
  public init(body: Bytes) throws(MovieError) {
    try self.init(payload: body)
  }

  /// The name of the compressor; empty in many files.
  public var compressorName: String {
    guard let first = compressorNameBytes.first else { return "" }
    let counted = compressorNameBytes.slice(at: 1, count: Int(first)) ?? compressorNameBytes.dropFirst(1)
    return counted.withoutTrailingNULs.utf8OrMacRomanText
  }
}

extension VideoDescription: AtomPayload {
  /// Parses the body of a sample entry. Throws when it ends early.
  public init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    version = try reader.read()
    revision = try reader.read()
    vendor = try reader.readFourCC()
    temporalQuality = try reader.read()
    spatialQuality = try reader.read()
    width = try reader.read()
    height = try reader.read()
    horizontalResolution = try reader.read()
    verticalResolution = try reader.read()
    dataSize = try reader.read()
    framesPerSample = try reader.read()
    compressorNameBytes = try reader.readBytes(32)
    depth = try reader.read()
    colorTableID = try reader.read()
    tail = reader.readRest()
  }

  /// Writes the body of a sample entry.
  public func write(to writer: inout ByteWriter) {
    writer.write(version)
    writer.write(revision)
    writer.write(vendor)
    writer.write(temporalQuality)
    writer.write(spatialQuality)
    writer.write(width)
    writer.write(height)
    writer.write(horizontalResolution)
    writer.write(verticalResolution)
    writer.write(dataSize)
    writer.write(framesPerSample)
    writer.write(compressorNameBytes, count: 32)
    writer.write(depth)
    writer.write(colorTableID)
    writer.write(tail)
  }
}
