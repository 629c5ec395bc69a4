import MovieBox
import MovieWriter

extension Finding {
  /// The ways to fix it in the file of this name, with commands that can be pasted into a shell.
  func fixes(ofFile file: String) -> [[Remedy.ShownStep]] {
    remedies.map { $0.shownSteps(ofFile: file, tracks: tracks) }
  }

  /// Writes the members of the finding's object.
  func write(ofFile file: String, to json: inout JSONWriter) {
    writeMembers(to: &json)
    let fixes = fixes(ofFile: file)
    for name in ["fixes", "mends"] {  // The second is the name that schema 1 had.
      json.array(name) { json in
        for way in fixes {
          json.array { json in
            for step in way {
              json.object { json in
                json.member("command", step.command)
                json.member("remark", step.remark)
              }
            }
          }
        }
      }
    }
  }
}
