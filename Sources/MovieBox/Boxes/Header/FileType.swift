/// The specifications that a file follows: the `ftyp` atom (QTFF "The File Type Compatibility Atom").
package struct FileType {
  /// The brand that the file was made for.
  package var majorBrand: FourCC
  /// The version of the major brand; a date in binary coded decimal for `qt  `.
  package var minorVersion: UInt32
  /// The brands that the file keeps to, in the order of the file; zeros are placeholders.
  package var compatibleBrands: [FourCC]
  /// Up to three bytes after the last whole brand.
  package var tail = Bytes()

  /// A file type of these brands.
  package init(majorBrand: FourCC, minorVersion: UInt32, compatibleBrands: [FourCC]) {
    self.majorBrand = majorBrand
    self.minorVersion = minorVersion
    self.compatibleBrands = compatibleBrands
  }

  /// Whether `brand` is the major brand or one of the compatible ones.
  package func contains(_ brand: FourCC) -> Bool {
    majorBrand == brand || compatibleBrands.contains(brand)
  }

  /// Whether `qt  ` is among the brands, so that the rules of QuickTime files hold.
  package var isQuickTime: Bool { contains("qt  ") }
}

extension FileType: FieldedPayload {
  package static var unread: FileType {
    FileType(majorBrand: FourCC(rawValue: 0), minorVersion: 0, compatibleBrands: [])
  }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&majorBrand, "major brand", .code)
    try visitor.field(&minorVersion, "minor version", .hexadecimal)
    try visitor.field(&compatibleBrands, "compatible", .brands)
    try visitor.field(&tail, nil, .rest)
  }
}

extension FieldFormat<[FourCC]> {
  /// Brands up to the end of the atom.
  fileprivate static var brands: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in
        var brands: [FourCC] = []
        while reader.remaining >= 4 { brands.append(try reader.readFourCC()) }
        return brands
      },
      write: { brands, writer in for brand in brands { writer.write(brand) } },
      text: { brands in brands.map { "\"\($0)\"" }.joined(separator: ", ") })
  }
}
