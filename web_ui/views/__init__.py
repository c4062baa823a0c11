"""View models: what each region of a page shows, as frozen values computed from a snapshot.

A module for each part of the pages; its public functions return values for the templates. Values that are
equal look the same, so that `render` renders and sends a region only when its value changes. The pages of
past games have no regions: `history` returns dictionaries.
"""
