"""`longrein doctor`: what is here, what is missing, and how to get it; a file for each topic."""
