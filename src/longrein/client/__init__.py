"""What a front end needs of Longrein; a local harness and a remote server both fit it."""
