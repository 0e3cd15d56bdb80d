import { setTimeout as sleep } from 'node:timers/promises'
import type { ObjectId } from 'mongodb'
import type { Data } from '../../database/data.js'
import type { Lease } from '../../database/leases.js'
import { minutes, seconds } from '../../time.js'
import type { ModelDocument } from '../model-documents.js'
import type { Recommender } from '../serving/recommender.js'
import { largestModel, modelFormat, unpacked } from '../stored-model.js'
import { countPopularity } from './popularity.js'
import { trainingLease } from './start-training.js'
import type { Trained } from './training.js'

const pollEvery = seconds(10)
const retryTrainingAfter = minutes(10)

const countEvery = seconds(15)
const restFactor = 500
const freshFor = minutes(10)
const minRestFactor = 50

/** Counting reads all histories, which slows down requests, so the longer it took, the longer its counts are used. */
const countLifetime = (took: number) => Math.max(countEvery, Math.min(restFactor * took, freshFor), minRestFactor * took)

interface LearningOptions {
  data: Data
  recommender: Recommender
  /** Trains in a process of its own; undefined if the service does not train. */
  train: ((lease: Lease) => Promise<Trained>) | undefined
  trainEvery: number
  /** Growth of the history that triggers an early training; 0.2 means 20 %. */
  trainShare: number
  onTrained: (trained: Trained) => void
  onFailure: (what: string, error: unknown) => void
}

/** Keeps the counts and the model of this process up to date. Leases ensure that only one process at a time counts or trains. */
export class Learning {
  model: ModelDocument | undefined
  private latestSeen: ObjectId | undefined
  private countedAt = 0
  private training: Promise<void> | undefined
  private trainAfter = 0

  constructor(private readonly options: LearningOptions) {}

  /** Refreshes and trains until aborted. Then waits for the training to stop, but not for other work in progress. */
  async follow(signal: AbortSignal) {
    const stopped = new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
    while (!signal.aborted) {
      await Promise.race([this.poll(signal), stopped])
      await sleep(pollEvery, undefined, { signal }).catch(() => undefined)
    }
    await this.training
  }

  private async poll(signal: AbortSignal) {
    const { onFailure } = this.options
    await this.refreshPopular().catch(error => onFailure('the popular titles could not be counted', error))
    await this.refreshModel().catch(error => onFailure('the recommendation model could not be read', error))
    if (signal.aborted) return
    this.training ??= this.train().finally(() => {
      this.training = undefined
    })
  }

  /** Loads the latest counts, and counts again if they are old. */
  async refreshPopular() {
    const { data } = this.options
    const counted = await this.loadCounts()
    if (counted && counted.age < countLifetime(counted.took)) return
    await data.leases.withLease('popularity', ({ confirm }) => countPopularity(data, confirm))
    await this.loadCounts()
  }

  private async loadCounts() {
    const { data, recommender } = this.options
    const counted = await data.popularity.counted()
    if (counted && counted.counted_at.getTime() !== this.countedAt) {
      recommender.popular.put(await data.popularity.all())
      this.countedAt = counted.counted_at.getTime()
    }
    return counted
  }

  /** Loads the newest model, whichever process has trained it. */
  async refreshModel() {
    const { data, recommender, onFailure } = this.options
    const latest = await data.recommendationModels.latest(modelFormat)
    if (!latest || this.latestSeen?.equals(latest._id)) return
    const isTooLarge = latest.size > largestModel
    const bytes = isTooLarge ? undefined : await data.recommendationModels.bytes(latest)
    // Set before the model is checked, so that a broken model is read and reported only once.
    this.latestSeen = latest._id
    try {
      if (isTooLarge) throw new Error(`It has ${latest.size} bytes, more than ${largestModel}`)
      if (!bytes) throw new Error('Its bytes are incomplete')
      recommender.use(unpacked(bytes))
      this.model = latest
    } catch (error) {
      onFailure('a recommendation model cannot be used, keeping the previous one', error)
    }
  }

  private async train() {
    const { data, train, onTrained, onFailure } = this.options
    if (!train || Date.now() < this.trainAfter) return
    try {
      if (!(await this.isTrainingDue())) return
      const trained = await data.leases.withLease(trainingLease, async lease => ((await this.isTrainingDue()) ? train(lease) : undefined))
      if (trained) onTrained(trained)
    } catch (error) {
      this.trainAfter = Date.now() + retryTrainingAfter
      onFailure('the recommendation model could not be trained, keeping the previous one', error)
    }
  }

  private async isTrainingDue() {
    const { data, trainEvery, trainShare } = this.options
    const [latest, elements] = await Promise.all([data.recommendationModels.latest(modelFormat), data.allHistories.estimatedSize()])
    if (!latest) return elements > 0
    return latest.age > trainEvery || elements > latest.elements * (1 + trainShare)
  }
}
