"""Where recordings come from: folders and files of several kinds, none of which knows the others."""
