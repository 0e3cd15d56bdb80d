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
	ctx := context.Background()

	// docs: begin
	token := ""
	client := must(viewer.NewClientWithResponses(url, viewer.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		return nil
	})))
	signedIn := must(client.LogInWithResponse(ctx, viewer.Credentials{Email: email, Password: password})).JSON200.Data
	token = signedIn.AccessToken

	films := must(client.ListContentsWithResponse(ctx, &viewer.ListContentsParams{Type: &[]string{"film"}, Search: of("harbour")})).JSON200
	report := viewer.ProgressReport{ContentId: films.Data.Collection[0].Id, Time: of(312.5)}
	must(client.ReportProgressWithResponse(ctx, report))
	for _, card := range must(client.ListContinueWatchingWithResponse(ctx, nil)).JSON200.Data.Collection {
		fmt.Println(card.Content.Name, "at", card.Resume.Time, "s")
	}
	// docs: end

	token = ""
	check(must(client.LogInWithResponse(ctx, viewer.Credentials{Email: email, Password: "wrong"})).JSON401 != nil, "a wrong password is a 401")
	check(must(client.ListRecommendationsWithResponse(ctx, nil)).JSON200.Data[0].Reason.Type == "popular", "popular titles for anyone")

	byName := must(client.ListContentsWithResponse(ctx, &viewer.ListContentsParams{
		Type:           &[]string{"film", "show"},
		OrderBy:        of(viewer.ListContentsParamsOrderBy("name")),
		OrderDirection: of(viewer.ListContentsParamsOrderDirection("asc")),
		PerPage:        of[int64](100),
	})).JSON200.Data.Collection
	check(len(byName) == 100, "a full page")
	with := []viewer.ListRailCollectionsParamsWith{"rails"}
	rails := must(client.ListRailCollectionsWithResponse(ctx, &viewer.ListRailCollectionsParams{With: &with})).JSON200.Data.Collection
	check(len(*rails[0].Rails) > 0, "rails")

	token = signedIn.AccessToken
	must(client.ClearHistoryWithResponse(ctx))
	for _, content := range []int64{1405, 1021} {
		reported := must(client.ReportProgressWithResponse(ctx, viewer.ProgressReport{ContentId: content, Percentage: of(12.0)})).JSON201
		check(reported.Success && reported.Code == 201 && reported.Message != "", "a report is stored")
	}
	first := must(client.ListHistoryWithResponse(ctx, &viewer.ListHistoryParams{PerPage: of[int64](1)})).JSON200.Data
	check(first.Meta.NextPage == 2.0 && first.Meta.PrevPage == false, "there is a next page")
	next := int64(first.Meta.NextPage.(float64))
	last := must(client.ListHistoryWithResponse(ctx, &viewer.ListHistoryParams{PerPage: of[int64](1), Page: &next})).JSON200.Data
	id := last.Collection[0].UnderscoreId
	element := must(client.GetHistoryElementWithResponse(ctx, id)).JSON200.Data
	check(element.Percentage == 12 && element.Content.Id == 1405, "an element of history by id")

	check(must(client.ListRecommendationsWithResponse(ctx, nil)).JSON200.Data[0].Reason.Name != nil, "a recommendation names what was watched")

	must(client.ClearWatchlistWithResponse(ctx))
	must(client.AddToWatchlistWithResponse(ctx, viewer.WatchlistAddition{ContentId: 1405}))
	saved := must(client.ListWatchlistWithResponse(ctx, nil)).JSON200.Data.Collection
	check(len(saved) == 1 && saved[0].Content.Name != "", "the watchlist")

	invalid := must(client.UpdateHistoryElementWithResponse(ctx, id, viewer.ProgressUpdate{})).JSON400
	check(invalid.Code == 400 && len(*invalid.Errors) == 1, "an invalid body is a 400 with errors")

	token = must(client.RefreshWithResponse(ctx, viewer.RefreshToken{RefreshToken: signedIn.RefreshToken})).JSON200.Data.AccessToken
	check(must(client.LogOutWithResponse(ctx)).JSON200.Success, "signed out")
}

func of[Value any](value Value) *Value { return &value }

func must[Answer any](answer Answer, err error) Answer {
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
