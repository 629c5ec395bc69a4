/// The specifications that a file conforms to: the `ftyp` atom (QTFF "The File Type Compatibility Atom").
package struct FileType {
  /// The brand that best describes the file.
  package var majorBrand: FourCC
  /// The version of the major brand. For `qt  `, it is a date in binary-coded decimal.
  package var minorVersion: UInt32
  /// The brands that the file is compatible with, in file order. Zeros are placeholders.
  package var compatibleBrands: [FourCC]
  /// Up to three bytes after the last complete brand.
  package var tail = Bytes()

  package init(majorBrand: FourCC, minorVersion: UInt32, compatibleBrands: [FourCC]) {
    self.majorBrand = majorBrand
    self.minorVersion = minorVersion
    self.compatibleBrands = compatibleBrands
  }

  /// Whether `brand` is the major brand or a compatible brand.
  package func contains(_ brand: FourCC) -> Bool {
    majorBrand == brand || compatibleBrands.contains(brand)
  }

  /// Whether the brands contain `qt  `. The rules of QuickTime files apply to files with this brand.
  package var isQuickTime: Bool { contains("qt  ") }
}

extension FileType: FieldedPayload {
  package static var placeholder: FileType {
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
  /// The format of a list of brands that fills the rest of the atom.
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
