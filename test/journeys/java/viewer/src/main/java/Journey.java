// docs: begin
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;
// docs: end
import java.util.concurrent.Callable;
import org.openapitools.client.ApiException;

public class Journey {
  public static void main(String[] args) throws Exception {
    var url = System.getenv("VIEWER_URL");
    var email = System.getenv("VIEWER_EMAIL");
    var password = System.getenv("VIEWER_PASSWORD");

    var nobody = new ApiClient();
    nobody.updateBaseUri(url);
    var refused = refusal(() -> new IdentityApi(nobody).logIn(new Credentials().email(email).password("wrong")));
    check(refused.getCode() == 401, "a wrong password is a 401");
    var popular = new RecommendationsApi(nobody).listRecommendations(null).getData().get(0);
    check(popular.getReason().getType().getValue().equals("popular"), "popular titles for anyone");

    // docs: begin
    var client = new ApiClient();
    client.updateBaseUri(url);
    var signedIn = new IdentityApi(client).logIn(new Credentials().email(email).password(password)).getData();
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + signedIn.getAccessToken()));

    var found = new CatalogueApi(client).listContents(List.of("film"), null, null, null, null, "harbour", null, null, 10L, 1L).getData();
    var film = found.getCollection().get(0);
    var history = new HistoryApi(client);
    history.reportProgress(new ProgressReport().contentId(film.getId()).time(312.5).percentage(12.0));
    for (var card : new ContinueWatchingApi(client).listContinueWatching(null, null, 20L, 1L).getData().getCollection())
      System.out.println(card.getContent().getName() + " at " + card.getResume().getTime() + " s");
    // docs: end

    var catalogue = new CatalogueApi(client);
    var byName = catalogue.listContents(List.of("film", "show"), null, null, null, null, null, "name", "asc", 100L, 1L).getData().getCollection();
    check(byName.size() == 100, "a full page");
    check(!catalogue.listRailCollections(List.of("rails"), null, null).getData().getCollection().get(0).getRails().isEmpty(), "rails");

    history.clearHistory();
    for (var contentId : List.of(1405L, 1021L)) {
      var reported = history.reportProgress(new ProgressReport().contentId(contentId).percentage(12.0));
      check(reported.getSuccess() && reported.getCode() == 201 && !reported.getMessage().isEmpty(), "a report is stored");
    }
    var first = history.listHistory(null, null, null, 1L, 1L).getData();
    check(first.getMeta().getNextPage().equals(2) && first.getMeta().getPrevPage().equals(false), "there is a next page");
    var last = history.listHistory(null, null, null, 1L, (long) (int) first.getMeta().getNextPage()).getData();
    var id = last.getCollection().get(0).getId();
    var element = history.getHistoryElement(id).getData();
    check(element.getPercentage() == 12 && element.getContent().getId() == 1405, "an element of history by id");

    var personal = new RecommendationsApi(client).listRecommendations(null).getData();
    check(personal.stream().anyMatch(title -> title.getReason().getName() != null), "a recommendation names what was watched");

    var watchlist = new WatchlistApi(client);
    watchlist.clearWatchlist();
    watchlist.addToWatchlist(new WatchlistAddition().contentId(1405L));
    var saved = watchlist.listWatchlist(null, null, null).getData().getCollection();
    check(saved.size() == 1 && saved.get(0).getContent().getName() != null, "the watchlist");

    var invalid = refusal(() -> history.updateHistoryElement(id, new ProgressUpdate()));
    check(invalid.getCode() == 400 && invalid.getResponseBody().contains("\"errors\""), "an invalid body is a 400 with errors");

    var renewed = new IdentityApi(nobody).refresh(new RefreshToken().refreshToken(signedIn.getRefreshToken())).getData();
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + renewed.getAccessToken()));
    new IdentityApi(client).logOut();
  }

  static ApiException refusal(Callable<?> call) throws Exception {
    try {
      call.call();
    } catch (ApiException refused) {
      return refused;
    }
    throw new AssertionError("the service accepted what it should refuse");
  }

  static void check(boolean kept, String what) {
    if (!kept) throw new AssertionError(what);
  }
}
