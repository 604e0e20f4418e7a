"""Where systems stand: leaderboards, intervals of ranks, the sheet of one system."""
