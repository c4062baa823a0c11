"""What each part of a page shows, as plain values computed from a snapshot."""
