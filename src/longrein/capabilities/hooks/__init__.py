"""Shell hooks: commands of the user that are run at named points of a session."""
