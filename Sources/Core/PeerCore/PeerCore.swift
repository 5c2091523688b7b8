// Room to come.
