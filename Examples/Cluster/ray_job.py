"""Adds subtitles to many movies with Ray.

    python3 ray_job.py manifest.jsonl report.jsonl [WORKERS]

The manifest and the report are the files of subtitles.py. With WORKERS, Ray runs on this computer alone. Otherwise Ray uses
the cluster of RAY_ADDRESS, or all processors of this computer. Each computer of a cluster needs the package movtool and
the movies under the same paths. Run the command again after a crash.
"""

import itertools
import sys

import ray
from ray.exceptions import NodeDiedError, OutOfMemoryError, WorkerCrashedError

import subtitles


def main(manifest, report, workers=None):
    ray.init("local" if workers else None, num_cpus=workers, include_dashboard=False)
    ray.cloudpickle.register_pickle_by_value(subtitles)  # The other computers don't have this folder.
    # Ray repeats a batch once if its worker dies. It never repeats an error of a movie: `work` repeats transient errors.
    work = ray.remote(num_cpus=1, max_retries=1)(subtitles.work)
    rest = subtitles.batches(manifest, subtitles.finished(report))
    pending = {}
    with subtitles.open_report(report) as file:
        while True:
            # Each worker has one batch in advance.
            room = max(2, 2 * int(ray.cluster_resources().get("CPU", 1))) - len(pending)
            pending.update((work.remote(batch), batch) for batch in itertools.islice(rest, max(0, room)))
            if not pending:
                return
            [complete], _ = ray.wait(list(pending))
            batch = pending.pop(complete)
            try:
                subtitles.append(file, ray.get(complete))
            except (NodeDiedError, OutOfMemoryError, WorkerCrashedError) as error:
                if len(batch) > 1:
                    # Finds the movie that ends the worker.
                    rest = itertools.chain(([job] for job in batch), rest)
                else:
                    failure = {"outcome": "failed", "code": type(error).__name__, "message": str(error)}
                    subtitles.append(file, [{"movie": batch[0]["movie"], **failure}])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else None)
