"""One crawl in several processes, on one machine or many: the same core on every shard, and links that travel.

`partition` says which shard has a host, `seat` is a shard's place among the others (what it sends, takes in and is
told), `hub` shares out the budget, adds up what the learners know and sees when the crawl is over. `in_process` runs
all shards in one process; `actors` has the workers and the hub as actors of Ray, `on_ray` the driver that places and
watches them; `crawling` has the calls of programs.
"""

from honeyguide.cluster.hub import Hub, HubRules, Orders, ShardReport
from honeyguide.cluster.partition import Partition
from honeyguide.cluster.seat import Post, ShardSeat

__all__ = ["Hub", "HubRules", "Orders", "Partition", "Post", "ShardReport", "ShardSeat"]
