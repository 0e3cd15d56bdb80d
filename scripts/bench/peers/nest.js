// GET /history as the documentation of Nest teaches: a module, a controller, a service with injected models, pipes.
// Node.js has no decorators, so they are applied by hand, as a compiler would do.
import 'reflect-metadata'
import { Bind, Controller, DefaultValuePipe, Dependencies, Get, Headers, Injectable, Module, ParseIntPipe, Query } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { getModelToken, MongooseModule } from '@nestjs/mongoose'
import { pageOf } from './page.js'
import { contentSchema, historySchema } from './schemas.js'

const { MONGO_URL, PORT } = process.env

const decorate = (type, ...decorators) => Reflect.decorate(decorators, type)
const decorateMethod = ({ prototype }, name, ...decorators) =>
  Reflect.decorate(decorators, prototype, name, Object.getOwnPropertyDescriptor(prototype, name))

class HistoryService {
  constructor(model) {
    this.model = model
  }

  async page(user, page, perPage) {
    const filter = { user_id: user }
    const [elements, total] = await Promise.all([
      this.model
        .find(filter)
        .sort({ updated_at: -1, _id: -1 })
        .skip((page - 1) * perPage)
        .limit(perPage)
        .populate('content_id', '-words -digest -stamp -deleted_at -terms -position')
        .lean(),
      this.model.countDocuments(filter)
    ])
    return pageOf(elements, total, page, perPage)
  }
}
decorate(HistoryService, Injectable(), Dependencies(getModelToken('History')))

class HistoryController {
  constructor(service) {
    this.service = service
  }

  list(user, page, perPage) {
    return this.service.page(Number(user), page, perPage)
  }
}
decorateMethod(
  HistoryController,
  'list',
  Get(),
  Bind(Headers('user'), Query('page', new DefaultValuePipe(1), ParseIntPipe), Query('perPage', new DefaultValuePipe(20), ParseIntPipe))
)
decorate(HistoryController, Controller('history'), Dependencies(HistoryService))

class ReadyController {
  ready() {
    return 'ready'
  }
}
decorateMethod(ReadyController, 'ready', Get())
decorate(ReadyController, Controller())

class AppModule {}
decorate(
  AppModule,
  Module({
    imports: [
      MongooseModule.forRoot(MONGO_URL),
      MongooseModule.forFeature([
        { name: 'Content', schema: contentSchema },
        { name: 'History', schema: historySchema }
      ])
    ],
    controllers: [ReadyController, HistoryController],
    providers: [HistoryService]
  })
)

const app = await NestFactory.create(AppModule)
await app.listen(PORT, '127.0.0.1')
