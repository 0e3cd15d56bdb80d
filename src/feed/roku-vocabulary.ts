/*
 * The vocabulary of Roku's search feed: github.com/rokudev/search-feed-json. The roles of credits are in its documentation.
 */

/** Words that may contain spaces, separated by commas. */
const listOf = (text: string): readonly string[] => text.split(',').map(word => word.trim())

export const countries = listOf('ar,at,au,bo,br,ca,cl,co,cr,de,ec,es,fr,gb,gt,hn,ie,mx,ni,pa,pe,sv,us')

export const licenses = ['free', 'subscription']

export const qualities = listOf('sd,hd,hd+,uhd,fhd')

export const languages = listOf(`
  af, am, ar, ar-dz, ar-bh, ar-eg, ar-iq, ar-jo, ar-kw, ar-lb, ar-ly, ar-ma, ar-om, ar-qa, ar-sa, ar-sy, ar-tn, ar-ae, ar-ye, as, az,
  be, bg, bh, bn, bo, bs, ca, cs, cy, da, de, de-at, de-de, de-li, de-lu, de-ch, dv, dz, el, en, en-at, en-au, en-bz, en-ca, en-ie,
  en-jm, en-nz, en-za, en-tt, en-gb, en-us, es, es-ar, es-bo, es-cl, es-co, es-cr, es-do, es-ec, es-es, es-sv, es-gt, es-hn, es-mx,
  es-ni, es-pa, es-py, es-pe, es-pr, es-us, es-uy, es-ve, eu, et, fa, ff, fi, fo, fr, fr-be, fr-ca, fr-lu, fr-ch, fy, ga, gd, gl, gn,
  gu, ha, he, hi, hr, ht, hu, hy, id, ig, ii, ik, is, it, it-ch, iu, ja, ka, kk, km, kn, ko, kr, ks, ku, ky, la, lo, lt, lv, mg, mk,
  ml, mn, mr, ms, mt, my, nd, ne, nl, nl-be, no, om, or, pa, pl, ps, pt, pt-br, qu, ro, ro-md, rm, rn, ru, ru-md, rw, sa, sd, se, si,
  sk, sl, sn, so, sq, sr, st, sv, sv-fi, sw, ta, te, tg, th, ti, tk, tn, tr, ts, tt, ty, uk, ur, uz, ve, vi, xh, yi, yo, zh, zh-hk,
  zh-cn, zh-sg, zh-tw, zu
`)

export const genres = listOf(`
  action, action sports, adventure, aerobics, agriculture, animals, animated, anime, anthology, archery, arm wrestling, art,
  arts/crafts, artistic gymnastics, artistic swimming, athletics, auction, auto, auto racing, aviation, awards, badminton, ballet,
  baseball, basketball, 3x3 basketball, beach soccer, beach volleyball, biathlon, bicycle, bicycle racing, billiards, biography,
  blackjack, bmx racing, boat, boat racing, bobsled, bodybuilding, bowling, boxing, bullfighting, bus./financial, canoe, card games,
  ceremony, cheerleading, children, children-music, children-special, children-talk, collectibles, comedy, comedy drama, community,
  computers, canoe/kayak, consumer, cooking, cricket, crime, crime drama, curling, cycling, dance, dark comedy, darts, debate,
  diving, docudrama, documentary, dog racing, dog show, dog sled, drag racing, drama, educational, entertainment, environment,
  equestrian, erotic, event, exercise, fantasy, faith, fashion, fencing, field hockey, figure skating, fishing, football, food,
  fundraiser, gaelic football, game show, gaming, gay/lesbian, golf, gymnastics, handball, health, historical drama, history, hockey,
  holiday, holiday music, holiday music special, holiday special, holiday-children, holiday-children special, home improvement,
  horror, horse, house/garden, how-to, hunting, hurling, hydroplane racing, indoor soccer, interview, intl soccer, judo, karate,
  kayaking, lacrosse, law, live, luge, martial arts, medical, military, miniseries, mixed martial arts, modern pentathlon,
  motorcycle, motorcycle racing, motorsports, mountain biking, music, music special, music talk, musical, musical comedy, mystery,
  nature, news, newsmagazine, olympics, opera, outdoors, parade, paranormal, parenting, performing arts, playoff sports, poker,
  politics, polo, pool, pro wrestling, public affairs, racquet, reality, religious, ringuette, road cycling, rodeo, roller derby,
  romance, romantic comedy, rowing, rugby, running, rhythmic gymnastics, sailing, science, science fiction, self improvement,
  shooting, shopping, sitcom, skateboarding, skating, skeleton, skiing, snooker, snowboarding, snowmobile, soap, soap special,
  soap talk, soccer, softball, special, speed skating, sport climbing, sports, sports talk, squash, standup, sumo wrestling, surfing,
  suspense, swimming, table tennis, taekwondo, talk, technology, tennis, theater, thriller, track/field, track cycling, travel,
  trampoline, triathlon, variety, volleyball, war, water polo, water skiing, watersports, weather, weightlifting, western, wrestling,
  yacht racing
`)

/** The values of each rating system. */
export const ratings: ReadonlyMap<string, readonly string[]> = new Map([
  ['ACB', listOf('NR,E,G,PG,M,MA 15+,R 18+,X 18+,AV 15+,C,NC,RC,P')],
  ['BBFC', listOf('NR,U,PG,12A,12-A,12,15,18,R18,R-18')],
  ['CHVRS', listOf('NR,G,PG,14A,14-A,18A,18-A,R,E')],
  ['CLASSIND', listOf('NR,L,10,12,14,16,18')],
  ['CPR', listOf('NR,14+,18+,C,C8,C-8,G,PG,E')],
  ['FSF', listOf('NR,0,6,12,16,18')],
  ['FSK', listOf('NR,0,6,12,16,18')],
  ['MPAA', listOf('NR,G,PG,PG13,PG-13,R,NC-17,NC17,UR')],
  ['RTC', listOf('NR,AA,A,B,B-15,B15,C,D')],
  ['USA_PR', listOf('NR,TV-Y,TVY,TV-Y7,TVY7,TV-G,TVG,TV-PG,TVPG,TV-14,TV14,TV-MA,TVMA')]
])

/** Roku's roles of credits, by ours. It has no word for our other roles. */
export const roles: ReadonlyMap<string, string> = new Map([
  ['actor', 'actor'],
  ['director', 'director'],
  ['writer', 'screenwriter'],
  ['producer', 'producer'],
  ['presenter', 'host']
])
