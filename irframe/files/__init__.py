"""Where runs and judgments come from and go to: files, folders, objects of other tools."""
