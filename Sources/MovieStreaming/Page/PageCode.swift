/// A style sheet or a script of pages, compact, with the hash by which the page's policy names it.
///
/// Each is made once, when the first page needs it: to make one takes longer than all else of a page.
struct PageCode: Sendable {
  let bytes: [UInt8]
  /// The source expression of `Content-Security-Policy`.
  let hash: String

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    hash = "'sha256-" + Markup.base64(SHA256.hash(bytes)) + "'"
  }

  /// The style sheet of a page with or without a report.
  static func style(hasReport: Bool) -> PageCode { hasReport ? styleWithReport : plainStyle }

  /// The script of a page with or without segments to play and a route to draw.
  static func script(hasStream: Bool, hasRoute: Bool) -> PageCode {
    switch (hasStream, hasRoute) {
    case (false, false): plainScript
    case (false, true): scriptWithRoute
    case (true, false): scriptWithStream
    case (true, true): scriptWithStreamAndRoute
    }
  }

  private static let plainStyle = PageCode(CompactCode.style(PackageResources.page_css))
  private static let styleWithReport = PageCode(
    CompactCode.style(PackageResources.page_css + PackageResources.report_css))

  private static let plainScript = script([])
  private static let scriptWithRoute = script(PackageResources.route_js)
  private static let scriptWithStream = script(PackageResources.stream_js)
  private static let scriptWithStreamAndRoute = script(PackageResources.stream_js + PackageResources.route_js)

  private static func script(_ parts: [UInt8]) -> PageCode {
    PageCode(
      CompactCode.scriptWithShortNames(
        parts + PackageResources.memory_js + PackageResources.peek_js + PackageResources.page_js))
  }
}
