import os

# docs: begin
import viewer
# docs: end

url, email, password = (os.environ[name] for name in ("VIEWER_URL", "VIEWER_EMAIL", "VIEWER_PASSWORD"))


def refusal(call):
    try:
        call()
    except viewer.ApiException as refused:
        return refused
    raise AssertionError("the service accepted what it should refuse")


nobody = viewer.ApiClient(viewer.Configuration(host=url))
wrong = viewer.Credentials(email=email, password="wrong")
assert refusal(lambda: viewer.IdentityApi(nobody).log_in(wrong)).status == 401
assert viewer.RecommendationsApi(nobody).list_recommendations().data[0].reason.type == "popular"

# docs: begin
configuration = viewer.Configuration(host=url)
client = viewer.ApiClient(configuration)
signed_in = viewer.IdentityApi(client).log_in(viewer.Credentials(email=email, password=password)).data
configuration.access_token = signed_in.access_token

film = viewer.CatalogueApi(client).list_contents(type=["film"], search="harbour").data.collection[0]
history = viewer.HistoryApi(client)
history.report_progress(viewer.ProgressReport(content_id=film.id, time=312.5, percentage=12))
for card in viewer.ContinueWatchingApi(client).list_continue_watching().data.collection:
    print(f"{card.content.name} at {card.resume.time} s")
# docs: end

catalogue = viewer.CatalogueApi(client)
by_name = catalogue.list_contents(type=["film", "show"], order_by="name", order_direction="asc", per_page=100).data.collection
assert len(by_name) == 100
assert catalogue.list_rail_collections(var_with=["rails"]).data.collection[0].rails

history.clear_history()
for content_id in (1405, 1021):
    reported = history.report_progress(viewer.ProgressReport(content_id=content_id, percentage=12))
    assert reported.success and reported.code == 201 and reported.message
first = history.list_history(per_page=1).data
assert first.meta.next_page == 2 and first.meta.prev_page is False
last = history.list_history(per_page=1, page=first.meta.next_page).data
id = last.collection[0].id
element = history.get_history_element(id).data
assert element.percentage == 12 and element.content.id == 1405

assert any(title.reason.name for title in viewer.RecommendationsApi(client).list_recommendations().data)

watchlist = viewer.WatchlistApi(client)
watchlist.clear_watchlist()
watchlist.add_to_watchlist(viewer.WatchlistAddition(content_id=1405))
saved = watchlist.list_watchlist().data.collection
assert len(saved) == 1 and saved[0].content.name

invalid = refusal(lambda: history.update_history_element(id, viewer.ProgressUpdate()))
assert invalid.status == 400 and len(invalid.data.errors) == 1

renewed = viewer.IdentityApi(client).refresh(viewer.RefreshToken(refresh_token=signed_in.refresh_token)).data
configuration.access_token = renewed.access_token
viewer.IdentityApi(client).log_out()
