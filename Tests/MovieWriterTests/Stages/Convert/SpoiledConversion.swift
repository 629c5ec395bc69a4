import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// A conversion whose movie atom is changed afterwards, so that the checker must reject its plan.
struct SpoiledConversion {
  private let movie: TestMovie
  private let type: MovieType

  init(_ movie: TestMovie, to type: MovieType) { (self.movie, self.type) = (movie, type) }

  /// Plans the conversion, which must pass, corrupts its movie atom, and expects that the checker rejects the plan for this
  /// reason.
  func expectFailure(
    _ reason: String = "", at location: SourceLocation = #_sourceLocation,
    _ spoil: (inout AtomEdits, Movie) throws -> Void
  ) throws {
    let source = MemorySource(Bytes(movie.bytes()))
    var edit = try MovieEdit(of: source)
    try edit.convert(to: type)
    let text = try edit.recodedText()
    let joined = try JoinedSource([source] + (text.map { [$0] } ?? []))
    _ = try edit.outputPlan(of: joined)  // Unspoiled it passes.
    let conversion = try #require(edit.stages.converted)
    var edits = AtomEdits()
    try spoil(&edits, conversion.movie)
    #expect(!edits.isEmpty, sourceLocation: location)
    var writer = ByteWriter()
    edits.draft(of: conversion.movie.tree).write(to: &writer)
    let tree = try AtomTree(Bytes(writer.bytes), at: conversion.movie.movieAtom.range.offset)
    let spoiled = try Movie(
      layout: conversion.movie.layout, tree: tree, fileType: type.fileType, limits: MovieLimits())
    var other = ConvertedMovie(
      original: conversion.original, type: type, movie: spoiled, recodedTracks: conversion.recodedTracks,
      removedTracks: conversion.removedTracks, omittedTracks: conversion.omittedTracks,
      refusals: conversion.refusals, notices: conversion.notices, losses: conversion.losses)
    other.metadata = conversion.metadata
    (other.reportedItems, other.omitsChapterList) = (conversion.reportedItems, conversion.omitsChapterList)
    edit.stages.converted = other
    edit.stages.current = spoiled
    edit.replaceStages(with: edit.stages)
    edit.tracks = edit.tracks.compactMap { track in
      spoiled.track(track.id).map { EditedTrack($0) } ?? (track.old == nil ? track : nil)
    }
    #expect(sourceLocation: location) {
      _ = try edit.outputPlan(of: joined)
    } throws: { error in
      let error = error as? MovieError
      return error?.code == .planCheckFailed && "\(error?.path ?? "") \(error?.reason ?? "")".contains(reason)
    }
  }
}
