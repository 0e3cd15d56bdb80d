import { days, minutes, seconds } from '../src/time.js'
import { demoContents, isPlayable, lines, openDuring, type PlayableContent } from './contents.js'

/**
 * What a demo viewer likes: shows, with the number of episodes seen, shows whose new episodes are all seen, films, and titles to watch
 * later. Names are as in contents.ndjson.
 */
interface Taste {
  shows: Record<string, number>
  follows?: string[]
  films: string[]
  later: string[]
}

const tastes = {
  outdoors: {
    shows: {
      'Above the Fjord': 9,
      'Salt and Stillness': 8,
      Windward: 7,
      'Yoga for Climbers': 5,
      'Midnight Marathon': 7,
      'Cold Water People': 3,
      'Last Snow': 2
    },
    follows: ['From Floor to Lead'],
    films: [
      'Blue Ice',
      'Free Fall, Slowly',
      'Nine Fingers',
      'How to Fall Well',
      'A Harbour for Winter',
      'Channel Weather',
      'Dolphins at the Bow'
    ],
    later: ['The Hut Warden', 'The Long Path', 'Föhn', 'Trail School', 'Cold', 'Offshore', 'Perihelion']
  },
  stories: {
    shows: {
      'Night Shift at Pier Nine': 8,
      'The Understudies': 12,
      'Tallow Lane': 6,
      'The Small Kitchen': 7,
      'The Lock Keepers': 4,
      'Minutes of the Last Meeting': 3
    },
    films: [
      'The Weight of Apples',
      'The Honest Forger',
      'Service Not Included',
      'The Organ Tuner',
      'Peer Review',
      'The Oyster Murders',
      'The Queue'
    ],
    later: ['Second Violins', 'Letters to the Upper Floor', 'Komorebi 木漏れ日', 'Room with Two Doors', 'Tandem', 'The Telegraphist']
  },
  evenings: {
    shows: {
      'Second Violins': 6,
      'Steam and Smoke 蒸氣': 7,
      'Room Tone': 5,
      "The Cartographer's Daughter": 4,
      'Signal and Noise': 3,
      'Folk Songs, Wrongly Remembered': 2
    },
    films: [
      'Room with Two Doors',
      'Twelve Minutes of Dark',
      'The Old Master in the Barn',
      'A Tenant without a Name',
      'A Grain of Rice 米',
      'Cello in the Underpass'
    ],
    later: ['Night Shift at Pier Nine', 'Dead Reckoning at Noon', 'Avalanche Line', 'Guitar from Zero', 'Bread of Five Borders']
  },
  family: {
    shows: { 'Otter Street': 11, 'Chalk Dust Club': 5, "Grandpa's Ski Lift": 4, 'Dinghy Summer': 3, 'Under the Microscope': 2 },
    films: [
      'My Robot Is Homesick',
      'The Fox at Number Forty',
      'Dance like a Crab',
      "The Snowman's Lawyer",
      'Tuba',
      'Make a Compass from a Needle'
    ],
    later: ['The Library Ship', 'Grandmother Takes the Shortcut', 'The Girl Who Measured Rain', 'Who Lives in the Log?', 'Paper Boats']
  }
} satisfies Record<string, Taste>

/** Interleaves the queues the way people watch: an episode of one show, a film, an episode of the next show. */
const inTurn = <T>(queues: T[][]) => {
  const longest = Math.max(...queues.map(queue => queue.length))
  return Array.from({ length: longest }, (_, turn) => queues.flatMap(queue => queue.slice(turn, turn + 1))).flat()
}

interface Watched {
  content: PlayableContent
  percentage: number
  end: number
}

/** What was watched to the end was also watched before, every few months since it appeared. Latest first. */
const playsOf = ({ content: { id, start_date }, percentage, end }: Watched) => {
  if (percentage < 90) return []
  const pause = days(100 + ((id * 37) % 70))
  const earlier = Math.max(0, Math.floor((end - Date.parse(start_date)) / pause))
  return Array.from({ length: earlier + 1 }, (_, n) => end - n * pause)
}

/** The histories and watchlists of viewers, as import files. */
export const demoHistory = async (viewers: { id: number; taste: keyof typeof tastes }[], now: Date): Promise<Record<string, string>> => {
  const contents = (await demoContents(now)).filter(openDuring(now, now))
  const titles = new Map(contents.filter(({ parent_id }) => parent_id === null).map(content => [content.name, content]))
  const named = (names: string[]) => names.flatMap(name => titles.get(name) ?? [])
  const episodesOf = (id: number): PlayableContent[] =>
    contents.filter(({ parent_id }) => parent_id === id).flatMap(child => (isPlayable(child) ? [child] : episodesOf(child.id)))

  const chosenBy = ({ shows, films }: Taste): Watched[] => {
    const seen = Object.entries(shows).map(([name, count]) => named([name]).flatMap(({ id }) => episodesOf(id).slice(0, count)))
    const alone = named(films).filter(isPlayable)
    const watched = inTurn([...seen, alone])
    // Every second show has an unfinished last episode, and every third film is unfinished.
    const begun = new Set([...seen.filter((_, n) => n % 2 === 0).map(queue => queue.at(-1)), ...alone.filter((_, n) => n % 3 === 1)])
    return watched.map((content, n) => ({
      content,
      percentage: begun.has(content) ? 15 + ((content.id * 13) % 60) : 93 + (content.id % 8),
      end: now.getTime() - (watched.length - 1 - n) * days(1.1) - minutes(30 + ((content.id * 29) % 180))
    }))
  }
  /** All episodes but the latest, each soon after it appeared. */
  const followedBy = ({ follows = [] }: Taste): Watched[] =>
    named(follows)
      .flatMap(({ id }) => episodesOf(id).slice(0, -1))
      .map(content => ({ content, percentage: 97, end: Date.parse(content.start_date) + minutes(90) }))

  const watchedBy = (user: number, taste: Taste) =>
    [...chosenBy(taste), ...followedBy(taste)].map(watched => {
      const { content, percentage, end } = watched
      const plays = playsOf(watched)
      return {
        user_id: user,
        content_id: content.id,
        time: Math.round(content.duration * (percentage / 100)),
        percentage,
        played_at: plays.map(at => new Date(at).toISOString()),
        created_at: new Date((plays.at(-1) ?? end) - seconds(content.duration)).toISOString(),
        updated_at: new Date(end).toISOString()
      }
    })
  const savedBy = (user: number, { later }: Taste) =>
    named(later).map(({ id }, n) => ({
      user_id: user,
      content_id: id,
      created_at: new Date(now.getTime() - days(4 * n + 1) - minutes((id * 17) % 600)).toISOString()
    }))

  return {
    'history.ndjson': lines(viewers.flatMap(({ id, taste }) => watchedBy(id, tastes[taste]))),
    'watchlist.ndjson': lines(viewers.flatMap(({ id, taste }) => savedBy(id, tastes[taste])))
  }
}
