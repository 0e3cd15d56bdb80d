import { setTimeout as sleep } from 'node:timers/promises'
import type { ObjectId } from 'mongodb'
import type { Data } from '../../data/index.js'
import type { ModelDocument } from '../../data/models.js'
import { minutes, seconds } from '../../time.js'
import { modelFormat, unpacked } from '../serving/model.js'
import type { Recommender } from '../serving/recommender.js'
import { countPopularity } from './counting.js'
import type { Trained } from './training.js'

const lookEvery = seconds(10)
const countEvery = seconds(15)
/** Counting reads all histories, and what viewers ask for meanwhile waits: one part of so many of the time is too little to be noticed. */
const unnoticed = 500
/** Where that would leave what is popular older than this, counting may take more, up to one part of so many. */
const fresh = minutes(10)
const most = 50
const afterFailure = minutes(10)

/** How old a count becomes that took so long. */
const restAfter = (took: number) => Math.max(countEvery, Math.min(unnoticed * took, fresh), most * took)

interface LearningOptions {
  data: Data
  recommender: Recommender
  /** Trains beside the requests; none where the service does not train. */
  train: (() => Promise<Trained>) | undefined
  trainEvery: number
  /** The part of new elements after which it is trained at once. */
  trainShare: number
  onTrained: (trained: Trained) => void
  onFailure: (what: string, error: unknown) => void
}

/** Keeps what is popular and what was learnt up to date in this process, and does its part of the work for all. */
export class Learning {
  /** The one in use. */
  model: ModelDocument | undefined
  private lookedAt: ObjectId | undefined
  private countedAt = 0
  private training: Promise<void> | undefined
  private trainAfter = 0

  constructor(private readonly options: LearningOptions) {}

  /** Refreshes and trains until it is told to stop. What the database still owes then is not waited for. */
  async follow(signal: AbortSignal) {
    const stopped = new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
    while (!signal.aborted) {
      await Promise.race([this.lookAround(signal), stopped])
      await sleep(lookEvery, undefined, { signal }).catch(() => undefined)
    }
    await this.training
  }

  private async lookAround(signal: AbortSignal) {
    const { onFailure } = this.options
    await this.refreshPopular().catch(error => onFailure('what is popular could not be counted', error))
    await this.refreshModel().catch(error => onFailure('the recommendation model could not be looked for', error))
    if (signal.aborted) return
    this.training ??= this.train().finally(() => {
      this.training = undefined
    })
  }

  /** Takes up the last count of what is popular, and counts anew where it is old; one process at a time does that. */
  async refreshPopular() {
    const { data } = this.options
    const counted = await this.takeUpCounts()
    if (counted && counted.age < restAfter(counted.took)) return
    await data.leases.while('popularity', () => countPopularity(data))
    await this.takeUpCounts()
  }

  private async takeUpCounts() {
    const { data, recommender } = this.options
    const counted = await data.popularity.counted()
    if (counted && counted.counted_at.getTime() !== this.countedAt) {
      recommender.popular.put(await data.popularity.all())
      this.countedAt = counted.counted_at.getTime()
    }
    return counted
  }

  /** Takes up the newest model, whichever process has trained it. */
  async refreshModel() {
    const { data, recommender, onFailure } = this.options
    const latest = await data.models.latest(modelFormat)
    if (!latest || this.lookedAt?.equals(latest._id)) return
    const bytes = await data.models.bytes(latest)
    // Remembered even where it makes no sense: the one before stays in use until there is another.
    this.lookedAt = latest._id
    try {
      if (!bytes) throw new Error('Its bytes are not all there')
      recommender.learn(unpacked(bytes))
      this.model = latest
    } catch (error) {
      onFailure('a recommendation model cannot be used, the one before stays in use', error)
    }
  }

  private async train() {
    const { data, train, onTrained, onFailure } = this.options
    if (!train || Date.now() < this.trainAfter) return
    try {
      if (!(await this.isTrainingDue())) return
      const trained = await data.leases.while('training', async () => ((await this.isTrainingDue()) ? train() : undefined))
      if (trained) onTrained(trained)
    } catch (error) {
      this.trainAfter = Date.now() + afterFailure
      onFailure('the recommendation model could not be trained, the one before stays in use', error)
    }
  }

  private async isTrainingDue() {
    const { data, trainEvery, trainShare } = this.options
    const [latest, elements] = await Promise.all([data.models.latest(modelFormat), data.history.size()])
    if (!latest) return elements > 0
    return latest.age > trainEvery || elements > latest.elements * (1 + trainShare)
  }
}
