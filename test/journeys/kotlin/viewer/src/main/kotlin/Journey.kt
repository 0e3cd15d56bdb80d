// docs: begin
import org.openapitools.client.apis.*
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.models.*
// docs: end
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException

fun main() {
    val url = System.getenv("VIEWER_URL")
    val email = System.getenv("VIEWER_EMAIL")
    val password = System.getenv("VIEWER_PASSWORD")

    check(refusal { IdentityApi(url).logIn(Credentials(email, "wrong")) }.statusCode == 401) { "a wrong password is a 401" }
    val popular = RecommendationsApi(url).listRecommendations().data[0]
    check(popular.reason.type == RecommendationReason.Type.popular) { "popular titles for anyone" }

    // docs: begin
    val signedIn = IdentityApi(url).logIn(Credentials(email, password)).data
    ApiClient.accessToken = signedIn.accessToken

    val film = CatalogueApi(url).listContents(type = listOf("film"), search = "harbour").data.collection.first()
    val history = HistoryApi(url)
    history.reportProgress(ProgressReport(contentId = film.id, time = 312.5, percentage = 12.0))
    for (card in ContinueWatchingApi(url).listContinueWatching().data.collection)
        println("${card.content.name} at ${card.resume.time} s")
    // docs: end

    val catalogue = CatalogueApi(url)
    val byName = catalogue.listContents(
        type = listOf("film", "show"),
        orderBy = CatalogueApi.OrderByListContents.NAME,
        orderDirection = CatalogueApi.OrderDirectionListContents.LOWER_ASC,
        perPage = 100
    ).data.collection
    check(byName.size == 100) { "a full page" }
    val rails = catalogue.listRailCollections(with = listOf(CatalogueApi.WithListRailCollections.rails)).data.collection
    check(rails.first().rails!!.isNotEmpty()) { "rails" }

    history.clearHistory()
    for (contentId in listOf(1405L, 1021L)) {
        val reported = history.reportProgress(ProgressReport(contentId, percentage = 12.0))
        check(reported.success && reported.code == 201L && reported.message.isNotEmpty()) { "a report is stored" }
    }
    val first = history.listHistory(perPage = 1).data
    check(first.meta.nextPage == 2.0 && first.meta.prevPage == false) { "there is a next page" }
    val last = history.listHistory(perPage = 1, page = (first.meta.nextPage as Number).toLong()).data
    val id = last.collection.first().id
    val element = history.getHistoryElement(id).data
    check(element.percentage == 12.0 && element.content.id == 1405L) { "an element of history by id" }

    check(RecommendationsApi(url).listRecommendations().data.any { it.reason.name != null }) { "a recommendation names what was watched" }

    val watchlist = WatchlistApi(url)
    watchlist.clearWatchlist()
    watchlist.addToWatchlist(WatchlistAddition(contentId = 1405))
    val saved = watchlist.listWatchlist().data.collection
    check(saved.size == 1 && saved.first().content.name.isNotEmpty()) { "the watchlist" }

    val invalid = refusal { history.updateHistoryElement(id, ProgressUpdate()) }
    check(invalid.statusCode == 400 && "\"errors\"" in (invalid.response as ClientError<*>).body.toString()) { "an invalid body is a 400 with errors" }

    ApiClient.accessToken = IdentityApi(url).refresh(RefreshToken(signedIn.refreshToken)).data.accessToken
    IdentityApi(url).logOut()
}

fun refusal(call: () -> Unit): ClientException {
    try {
        call()
    } catch (refused: ClientException) {
        return refused
    }
    throw AssertionError("the service accepted what it should refuse")
}
