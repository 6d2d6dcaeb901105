"""The REST example of the documentation with a generated client: launch a batch, wait for its end, read its results."""

import sys
import time

from sparring_client import Client
from sparring_client.api.batches import batch, conversations, launch
from sparring_client.models import BatchStatus, ConversationPage, LaunchRequest, LaunchResponse

wanted = {
    "name": "from Python",
    "scenarios": [
        {
            "name": "Calm reorder",
            "variables": {"ORDER_GOAL": [{"name": "a large custom pizza with ham", "qty": 1}], "SEED": 7},
        }
    ],
}
client = Client(sys.argv[1])
launched = launch.sync(client=client, body=LaunchRequest.from_dict(wanted))
assert isinstance(launched, LaunchResponse), launched
while True:
    now = batch.sync(launched.batch_id, client=client)
    assert isinstance(now, BatchStatus), now
    if now.status in ("completed", "failed", "cancelled"):
        break
    time.sleep(0.02)
page = conversations.sync(launched.batch_id, client=client)
assert isinstance(page, ConversationPage), page
sys.stdout.write("\n".join(f"{each.scenario}: {each.outcome}" for each in page.conversations))
