// docs: begin
import java.io.IOException
import java.time.OffsetDateTime
import okhttp3.Authenticator
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.Response
import okhttp3.Route
import org.openapitools.client.apis.HistoryApi
import org.openapitools.client.apis.IdentityApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.infrastructure.ServerException
import org.openapitools.client.models.ProgressReport
import org.openapitools.client.models.RefreshToken

/** Renews the tokens after a 401, and lets OkHttp repeat the call. */
class Renewal(private val url: String, private var refreshToken: String, private val askToSignIn: () -> Unit) : Authenticator {
    @Synchronized
    override fun authenticate(route: Route?, response: Response): Request? {
        if (response.priorResponse != null) return null
        if (response.request.header("Authorization") == "Bearer ${ApiClient.accessToken}") {
            try {
                val renewed = IdentityApi(url).refresh(RefreshToken(refreshToken)).data
                ApiClient.accessToken = renewed.accessToken
                refreshToken = renewed.refreshToken
            } catch (refused: ClientException) {
                if (refused.statusCode != 401) throw refused
                askToSignIn()
                return null
            }
        }
        return response.request.newBuilder().header("Authorization", "Bearer ${ApiClient.accessToken}").build()
    }
}

/** Resumes a title where the viewer left it, and keeps the last report until the service has accepted or refused it. */
class Player(url: String, http: OkHttpClient, private val contentId: Long) {
    private val history = HistoryApi(url, http)
    private var unsent: ProgressReport? = null

    fun resumeAt() = history.listHistory(contentId = listOf(contentId)).data.collection.firstOrNull()?.time ?: 0.0

    fun report(time: Double, duration: Double) {
        unsent = ProgressReport(contentId, time, percentage = 100 * time / duration, observedAt = OffsetDateTime.now())
        deliver()
    }

    /** Sends the last report. Call it again when there is a connection. While the player plays, the next report does it. */
    fun deliver() {
        try {
            unsent?.let { history.reportProgress(it) }
            unsent = null
        } catch (offline: IOException) {
            sendLater(offline)
        } catch (unavailable: ServerException) {
            sendLater(unavailable)
        } catch (refused: ClientException) {
            // After a 401 the viewer signs in. A 408 says that the connection was too slow, a 429 that the service is busy: both pass.
            // Other refusals are final.
            if (refused.statusCode in listOf(401, 408, 429)) sendLater(refused) else unsent = null
        }
    }

    private fun sendLater(reason: Exception) = println("to be sent later: ${reason.message}")
}
// docs: end
