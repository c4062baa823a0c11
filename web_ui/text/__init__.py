"""The texts of the pages: words by language, sentences built from snapshots, and the rules for players."""
