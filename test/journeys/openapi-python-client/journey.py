import os

# docs: begin
from viewer import AuthenticatedClient, Client, models
from viewer.api.catalogue import list_contents
from viewer.api.continue_watching import list_continue_watching
from viewer.api.history import report_progress
from viewer.api.identity import log_in
# docs: end
from viewer.api.catalogue import list_rail_collections
from viewer.api.history import clear_history, get_history_element, list_history, update_history_element
from viewer.api.identity import log_out, refresh
from viewer.api.recommendations import list_recommendations
from viewer.api.watchlist import add_to_watchlist, clear_watchlist, list_watchlist

url, email, password = (os.environ[name] for name in ("VIEWER_URL", "VIEWER_EMAIL", "VIEWER_PASSWORD"))

nobody = Client(base_url=url)
assert log_in.sync_detailed(client=nobody, body=models.Credentials(email=email, password="wrong")).status_code == 401
assert list_recommendations.sync(client=nobody).data[0].reason.type_ == "popular"

# docs: begin
signed_in = log_in.sync(client=Client(base_url=url), body=models.Credentials(email=email, password=password)).data
user = AuthenticatedClient(base_url=url, token=signed_in.access_token)

film = list_contents.sync(client=user, type_=["film"], search="harbour").data.collection[0]
report_progress.sync(client=user, body=models.ProgressReport(content_id=film.id, time=312.5, percentage=12))
for card in list_continue_watching.sync(client=user).data.collection:
    print(f"{card.content.name} at {card.resume.time} s")
# docs: end

by_name = list_contents.sync(
    client=user,
    type_=["film", "show"],
    order_by=models.ListContentsOrderBy.NAME,
    order_direction=models.ListContentsOrderDirection.ASC,
    per_page=100,
).data.collection
assert len(by_name) == 100
assert list_rail_collections.sync(client=user, with_=[models.ListRailCollectionsWithItem.RAILS]).data.collection[0].rails

clear_history.sync(client=user)
for content_id in (1405, 1021):
    reported = report_progress.sync(client=user, body=models.ProgressReport(content_id=content_id, percentage=12))
    assert reported.success and reported.code == 201 and reported.message
first = list_history.sync(client=user, per_page=1).data
assert first.meta.next_page == 2 and first.meta.prev_page is False
last = list_history.sync(client=user, per_page=1, page=first.meta.next_page).data
id = last.collection[0].field_id
element = get_history_element.sync(id, client=user).data
assert element.percentage == 12 and element.content.id == 1405

assert any(title.reason.name for title in list_recommendations.sync(client=user).data)

clear_watchlist.sync(client=user)
add_to_watchlist.sync(client=user, body=models.WatchlistAddition(content_id=1405))
saved = list_watchlist.sync(client=user).data.collection
assert len(saved) == 1 and saved[0].content.name

invalid = update_history_element.sync_detailed(id, client=user, body=models.ProgressUpdate())
assert invalid.status_code == 400 and len(invalid.parsed.errors) == 1

renewed = refresh.sync(client=nobody, body=models.RefreshToken(refresh_token=signed_in.refresh_token)).data
user = AuthenticatedClient(base_url=url, token=renewed.access_token)
log_out.sync(client=user)
