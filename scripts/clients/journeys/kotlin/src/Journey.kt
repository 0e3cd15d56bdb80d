// docs: begin
import org.openapitools.client.apis.*
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.models.*
// docs: end
import java.io.IOException
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import okhttp3.Protocol
import okhttp3.Response
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
        println(card.content.name + (card.history?.let { " at ${it.time} s" } ?: ""))
    // docs: end

    val catalogue = CatalogueApi(url)
    val byName = catalogue.listContents(
        type = listOf("film", "show"),
        orderBy = CatalogueApi.OrderByListContents.NAME,
        orderDirection = CatalogueApi.OrderDirectionListContents.asc,
        perPage = 100
    ).data.collection
    check(byName.size == 100) { "a full page" }
    check("en" in catalogue.getContent(1405).data.title) { "a content item by id" }
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
    history.updateHistoryElement(id, ProgressUpdate(time = 340.25))
    val element = history.getHistoryElement(id).data
    check(element.time == 340.25 && element.content.id == 1405L) { "an element of history by id" }

    check(RecommendationsApi(url).listRecommendations().data.any { it.reason.name != null }) { "a recommendation names what was watched" }
    history.deleteHistoryElement(id)

    val watchlist = WatchlistApi(url)
    watchlist.clearWatchlist()
    watchlist.addToWatchlist(WatchlistAddition(contentId = 1405))
    val saved = watchlist.listWatchlist().data.collection
    check(saved.size == 1 && saved.first().content.name.isNotEmpty()) { "the watchlist" }
    watchlist.deleteWatchlistElement(saved.first().id)

    val invalid = refusal { history.updateHistoryElement(id, ProgressUpdate()) }
    check(invalid.statusCode == 400 && "\"errors\"" in (invalid.response as ClientError<*>).body.toString()) { "an invalid body is a 400 with errors" }

    play(url, signedIn.refreshToken)
    IdentityApi(url).logOut()
}

/** Loses calls, or answers them with a refusal, as the service or a proxy in front of it would. */
class Connection : Interceptor {
    var isOffline = false
    var refusal: Int? = null
    var calls = 0

    override fun intercept(chain: Interceptor.Chain): Response {
        calls++
        if (isOffline) throw IOException("offline")
        val status = refusal ?: return chain.proceed(chain.request())
        return Response.Builder().request(chain.request()).protocol(Protocol.HTTP_1_1).code(status).message("refused").build()
    }
}

/** Plays a film with an expired access token, without a connection, with a busy service, over a slow connection, and until the tokens cannot be renewed. */
fun play(url: String, refreshToken: String) {
    val connection = Connection()
    var signIns = 0
    fun http() = OkHttpClient.Builder().addInterceptor(connection).authenticator(Renewal(url, refreshToken) { signIns++ }).build()

    ApiClient.accessToken = "expired"
    val player = Player(url, http(), 1405)
    player.report(400.0, 800.0)
    check(player.resumeAt() == 400.0 && signIns == 0) { "a report after a renewal" }

    connection.isOffline = true
    player.report(500.0, 800.0)
    connection.isOffline = false
    check(player.resumeAt() == 400.0) { "a report that was not sent" }
    player.deliver()
    check(player.resumeAt() == 500.0) { "a report that was sent later" }

    for ((status, time) in listOf(503 to 510.0, 429 to 520.0, 408 to 530.0)) {
        connection.refusal = status
        player.report(time, 800.0)
        connection.refusal = null
        check(player.resumeAt() < time) { "a report that got a $status" }
        player.deliver()
        check(player.resumeAt() == time) { "a report that was sent after a $status" }
    }

    val unknown = Player(url, http(), 999_999_999)
    unknown.report(100.0, 800.0)
    val calls = connection.calls
    unknown.deliver()
    check(connection.calls == calls) { "a report that was refused for good" }

    val renewed = ApiClient.accessToken
    ApiClient.accessToken = "expired"
    check(refusal { Player(url, http(), 1405).resumeAt() }.statusCode == 401 && signIns == 1) { "a used refresh token" }
    ApiClient.accessToken = renewed
}

fun refusal(call: () -> Unit): ClientException {
    try {
        call()
    } catch (refused: ClientException) {
        return refused
    }
    throw AssertionError("the service accepted what it should refuse")
}
