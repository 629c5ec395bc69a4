#!/bin/bash
#SBATCH --job-name=subtitles
#SBATCH --output=subtitles-%a.log
#SBATCH --open-mode=append
#SBATCH --requeue
#
# Adds subtitles to many movies with an array of Slurm.
#
#   sbatch --array=0-TASKS slurm_array.sh subtitles.py manifest.jsonl REPORTS
#
# Each task edits 1000 movies of the manifest (or SHARE movies) and writes the report REPORTS/TASK.jsonl. For a manifest of
# 100 000 lines, the array is 0-99. Submit the array again after a crash, or the tasks that failed (--array=3,7): a task
# leaves out the movies of its report. `cat REPORTS/*.jsonl` is the report of the array.
set -euo pipefail
worker=$1
reports=$3
first=$((SLURM_ARRAY_TASK_ID * ${SHARE:=1000} + 1))
last=$((first + SHARE - 1))
exec <"$2"
mkdir -p "$reports"
python3 "$worker" <(sed -n "$first,${last}p;${last}q") "$reports/$SLURM_ARRAY_TASK_ID.jsonl" "${SLURM_CPUS_PER_TASK:-1}"
