"""Makes SubRip files of any length."""

LINES = [
    "The tide comes in twice a day.",
    "<i>Somewhere a door falls shut.</i>",
    "We were told to wait here.\nNobody said for how long.",
    "Über Nacht hat es geschneit, she said.",
    "[Footsteps on gravel]",
    "Two lines are the most\nthat people care to read.",
]


def clock(milliseconds):
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02},{rest:03}"


def make(path, seconds, step=4870):
    """Writes a cue every `step` milliseconds, which lasts about half as long. Returns the number of cues."""
    starts = range(1000, int(seconds * 1000) - 5000, step)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for index, start in enumerate(starts):
            end = start + (2000 + index * 370 % 2000) * step // 4870
            file.write(f"{index + 1}\n{clock(start)} --> {clock(end)}\n{LINES[index % len(LINES)]}\n\n")
    return len(starts)
