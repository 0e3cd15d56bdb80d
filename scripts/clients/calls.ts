/** What every journey calls. The service records what it served, so a journey that leaves something out fails. */
const expected = [
  'POST /login 401',
  'POST /login 200',
  'POST /login/refresh 200',
  'POST /logout 200',
  'GET /contents 200',
  'GET /contents/:contentId 200',
  'GET /contents/:contentId 404',
  'GET /terms 200',
  'GET /rail-collections 200',
  'GET /schedule 200',
  'GET /history 401',
  'GET /history 200',
  'POST /history 201',
  'GET /history/:watchedVideoId 200',
  'PUT /history/:watchedVideoId 200',
  'PUT /history/:watchedVideoId 400',
  'DELETE /history/:watchedVideoId 200',
  'DELETE /history 200',
  'GET /continue-watching 200',
  'GET /watchlist 200',
  'POST /watchlist 201',
  'DELETE /watchlist/:elementId 200',
  'DELETE /watchlist 200',
  'GET /recommendations 200 without a token',
  'GET /recommendations 200 with a token'
]

/** What is missing from the calls that the service recorded. */
export const missingCalls = (served: Set<string>) => expected.filter(call => ![...served].some(one => one.startsWith(call)))
