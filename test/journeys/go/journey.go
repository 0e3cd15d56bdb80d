package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

// docs: begin
import "journey/viewer"

// docs: end

func main() {
	url, email, password := os.Getenv("VIEWER_URL"), os.Getenv("VIEWER_EMAIL"), os.Getenv("VIEWER_PASSWORD")
	nobody := context.Background()

	// docs: begin
	configuration := viewer.NewConfiguration()
	configuration.Servers = viewer.ServerConfigurations{{URL: url}}
	client := viewer.NewAPIClient(configuration)
	credentials := *viewer.NewCredentials(email, password)
	signedIn := must(client.IdentityAPI.LogIn(nobody).Credentials(credentials).Execute()).Data
	user := context.WithValue(nobody, viewer.ContextAccessToken, signedIn.AccessToken)

	films := must(client.CatalogueAPI.ListContents(nobody).Type_([]string{"film"}).Search("harbour").Execute()).Data.Collection
	report := viewer.NewProgressReport(films[0].Id)
	report.SetTime(312.5)
	must(client.HistoryAPI.ReportProgress(user).ProgressReport(*report).Execute())
	for _, card := range must(client.ContinueWatchingAPI.ListContinueWatching(user).Execute()).Data.Collection {
		fmt.Println(card.Content.Name, "at", card.Resume.Time, "s")
	}
	// docs: end

	catalogue, history, watchlist := client.CatalogueAPI, client.HistoryAPI, client.WatchlistAPI
	wrong := *viewer.NewCredentials(email, "wrong")
	_, refused, _ := client.IdentityAPI.LogIn(nobody).Credentials(wrong).Execute()
	check(refused.StatusCode == 401, "a wrong password is a 401")
	check(must(client.RecommendationsAPI.ListRecommendations(nobody).Execute()).Data[0].Reason.Type == "popular", "popular titles for anyone")

	byName := must(catalogue.ListContents(nobody).Type_([]string{"film", "show"}).OrderBy("name").OrderDirection("asc").PerPage(100).Execute()).Data.Collection
	check(len(byName) == 100, "a full page")
	check(len(must(catalogue.ListRailCollections(nobody).With([]string{"rails"}).Execute()).Data.Collection[0].Rails) > 0, "rails")

	must(history.ClearHistory(user).Execute())
	for _, content := range []int64{1405, 1021} {
		report := viewer.NewProgressReport(content)
		report.SetPercentage(12)
		reported := must(history.ReportProgress(user).ProgressReport(*report).Execute())
		check(reported.Success && reported.Code == 201 && reported.Message != "", "a report is stored")
	}
	first := must(history.ListHistory(user).PerPage(1).Execute()).Data
	check(first.Meta.NextPage == 2.0 && first.Meta.PrevPage == false, "there is a next page")
	last := must(history.ListHistory(user).PerPage(1).Page(int64(first.Meta.NextPage.(float64))).Execute()).Data
	id := last.Collection[0].Id
	element := must(history.GetHistoryElement(user, id).Execute()).Data
	check(element.Percentage == 12 && element.Content.Id == 1405, "an element of history by id")

	check(must(client.RecommendationsAPI.ListRecommendations(user).Execute()).Data[0].Reason.HasName(), "a recommendation names what was watched")

	must(watchlist.ClearWatchlist(user).Execute())
	must(watchlist.AddToWatchlist(user).WatchlistAddition(*viewer.NewWatchlistAddition(1405)).Execute())
	saved := must(watchlist.ListWatchlist(user).Execute()).Data.Collection
	check(len(saved) == 1 && saved[0].Content.Name != "", "the watchlist")

	_, _, err := history.UpdateHistoryElement(user, id).ProgressUpdate(*viewer.NewProgressUpdate()).Execute()
	invalid, isInvalid := err.(*viewer.GenericOpenAPIError).Model().(viewer.Invalid)
	check(isInvalid && invalid.Code == 400 && len(invalid.Errors) == 1, "an invalid body is a 400 with errors")

	renewed := must(client.IdentityAPI.Refresh(nobody).RefreshToken(*viewer.NewRefreshToken(signedIn.RefreshToken)).Execute()).Data
	user = context.WithValue(nobody, viewer.ContextAccessToken, renewed.AccessToken)
	must(client.IdentityAPI.LogOut(user).Execute())
}

func must[Answer any](answer Answer, _ *http.Response, err error) Answer {
	if err != nil {
		panic(err)
	}
	return answer
}

func check(kept bool, what string) {
	if !kept {
		panic(what)
	}
}
