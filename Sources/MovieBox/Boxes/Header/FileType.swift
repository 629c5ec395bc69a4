/// Which specifications a file follows: the `ftyp` atom (QTFF "The File Type Compatibility Atom").
public struct FileType {
  /// The brand that the file was made for.
  public var majorBrand: FourCC
  /// The version of the major brand; a date in binary coded decimal for `qt  `.
  public var minorVersion: UInt32
  /// The brands that the file keeps to, in the order of the file; zeros are placeholders.
  public var compatibleBrands: [FourCC]
  /// Up to three bytes after the last whole brand.
  public var tail: Bytes

  /// A file type of these brands.
  public init(majorBrand: FourCC, minorVersion: UInt32, compatibleBrands: [FourCC], tail: Bytes = Bytes()) {
    self.majorBrand = majorBrand
    self.minorVersion = minorVersion
    self.compatibleBrands = compatibleBrands
    self.tail = tail
  }

  /// Whether `brand` is the major brand or one of the compatible ones.
  public func contains(_ brand: FourCC) -> Bool {
    majorBrand == brand || compatibleBrands.contains(brand)
  }

  /// Whether `qt  ` is among the brands, so that the rules of QuickTime files hold.
  public var isQuickTime: Bool { contains("qt  ") }
}

extension FileType: AtomPayload {
  /// Parses `ftyp`. Throws when the bytes end before the minor version does.
  public init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    majorBrand = try reader.readFourCC()
    minorVersion = try reader.read()
    compatibleBrands = []
    while reader.remaining >= 4 {
      compatibleBrands.append(try reader.readFourCC())
    }
    tail = reader.readRest()
  }

  /// Writes `ftyp`.
  public func write(to writer: inout ByteWriter) {
    writer.write(majorBrand)
    writer.write(minorVersion)
    for brand in compatibleBrands { writer.write(brand) }
    writer.write(tail)
  }
}
