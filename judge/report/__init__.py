"""What people are shown: tables and progress in the terminal."""
