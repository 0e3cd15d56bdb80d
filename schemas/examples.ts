/** Responses with the demo catalogue, by operation. Written by `npm run examples`. */
export const examples: Record<string, { request?: object; answer?: unknown }> = {
  'POST /login': {
    request: {
      email: 'ada@example.com',
      password: 'demo-password',
      device: 'Living room TV'
    },
    answer: {
      success: true,
      data: {
        access_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9…',
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: '0f8b6c1e…',
        user: {
          id: 1,
          email: 'ada@example.com',
          name: 'Ada'
        }
      }
    }
  },
  'GET /contents': {
    answer: {
      success: true,
      data: {
        collection: [
          {
            id: 1188,
            parent_id: null,
            type: 'show',
            handler: 'harbourcast',
            handler_type: 'playlist',
            handler_id: '1_w9w5o6wl',
            name: 'Guitar from Zero',
            title: {
              en: 'Guitar from Zero',
              de: 'Gitarre von null'
            },
            description: {
              en: 'Two chords in the first lesson, a whole song in the third.',
              de: 'Zwei Akkorde in der ersten Stunde, ein ganzes Lied in der dritten.'
            },
            weight: 99,
            thumbnail: 'http://localhost:3000/demo/thumbnails/1188.svg',
            thumbnail_handler: 'demo',
            keywords: 'concert, instrument, beginner',
            pricing: null,
            payments_asset_id: null,
            purchaseable: 0,
            start_date: '2026-07-22T12:30:00.000000Z',
            end_date: null,
            countries_include: null,
            countries_exclude: null,
            created_at: '2026-07-07T11:50:49.000000Z',
            updated_at: '2026-07-07T11:50:49.000000Z',
            currency: null,
            price: null,
            price_formatted: null,
            plans: {
              '2': {
                id: '2',
                vendor_name: 'plus'
              }
            },
            link: 'http://localhost:3000/title/1188',
            min_age: 0,
            year: 2025,
            images: [
              {
                kind: 'poster',
                url: 'http://localhost:3000/demo/posters/1188.svg',
                width: 400,
                height: 600
              }
            ],
            age_ratings: [
              {
                country: 'US',
                system: 'TV Parental Guidelines',
                value: 'TV-G'
              }
            ]
          }
        ],
        meta: {
          page: 1,
          per_page: 1,
          next_page: 2,
          prev_page: false,
          total_pages: 43,
          total_count: 43
        }
      }
    }
  },
  'GET /contents/{contentId}': {
    answer: {
      success: true,
      data: {
        id: 1405,
        parent_id: null,
        type: 'film',
        handler: 'harbourcast',
        handler_type: 'entry',
        handler_id: '1_lyhz96rg',
        name: 'A Harbour for Winter',
        title: {
          en: 'A Harbour for Winter',
          de: 'Ein Hafen für den Winter'
        },
        description: {
          en: 'A lone sailor is iced in beside a village that would like her to stay.',
          de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.'
        },
        weight: 81,
        thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
        thumbnail_handler: 'demo',
        keywords: 'small town, boat, sea, harbour',
        pricing: null,
        payments_asset_id: null,
        purchaseable: 0,
        start_date: '2025-08-08T11:00:00.000000Z',
        end_date: null,
        countries_include: null,
        countries_exclude: null,
        created_at: '2025-07-23T10:47:04.000000Z',
        updated_at: '2025-07-23T10:47:04.000000Z',
        currency: null,
        price: null,
        price_formatted: null,
        plans: {
          '1': {
            id: '1',
            vendor_name: 'basic'
          }
        },
        link: 'http://localhost:3000/title/1405',
        duration: 6945,
        min_age: 6,
        external_ids: {
          eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
          archive: 'film-1405'
        },
        markers: [
          {
            type: 'intro',
            start: 12,
            end: 97
          }
        ],
        year: 2023,
        images: [
          {
            kind: 'poster',
            url: 'http://localhost:3000/demo/posters/1405.svg',
            width: 400,
            height: 600
          }
        ],
        age_ratings: [
          {
            country: 'US',
            system: 'MPAA',
            value: 'PG'
          }
        ],
        terms: [
          {
            id: 2,
            name: 'Drama',
            taxonomy: 'category'
          }
        ],
        credits: [
          {
            person: {
              id: 51,
              name: 'Valborg Tindskar',
              image: 'http://localhost:3000/demo/portraits/51.svg'
            },
            role: 'director',
            character: null
          }
        ]
      }
    }
  },
  'GET /terms': {
    answer: {
      success: true,
      data: {
        collection: [
          {
            id: 27,
            vendor_id: 'dis_meditation',
            name: 'Meditation',
            taxonomy: 'discipline',
            created_at: '2025-01-16T16:00:00.000000Z',
            updated_at: '2025-01-16T16:00:00.000000Z'
          }
        ],
        meta: {
          page: 1,
          per_page: 1,
          next_page: 2,
          prev_page: false,
          total_count: 27
        }
      }
    }
  },
  'GET /terms/{termId}': {
    answer: {
      success: true,
      data: {
        id: 1,
        vendor_id: 'cat_documentary',
        name: 'Documentary',
        taxonomy: 'category',
        created_at: '2024-10-30T07:00:00.000000Z',
        updated_at: '2026-05-13T07:00:00.000000Z'
      }
    }
  },
  'GET /people': {
    answer: {
      success: true,
      data: {
        collection: [
          {
            id: 1,
            name: 'Maren Oksvik',
            image: 'http://localhost:3000/demo/portraits/1.svg'
          }
        ],
        meta: {
          page: 1,
          per_page: 1,
          next_page: false,
          prev_page: false,
          total_pages: 1,
          total_count: 1
        }
      }
    }
  },
  'GET /people/{personId}': {
    answer: {
      success: true,
      data: {
        id: 1,
        name: 'Maren Oksvik',
        image: 'http://localhost:3000/demo/portraits/1.svg'
      }
    }
  },
  'GET /rail-collections': {
    answer: {
      success: true,
      data: {
        collection: [
          {
            id: 1,
            name: 'Home',
            mname: 'home',
            endpoint: 'http://localhost:3000/contents?type=film%2Cshow%2Cdocumentary&order_by=weight&order_direction=DESC',
            created_at: '2024-12-29T09:00:00.000000Z',
            updated_at: '2026-11-16T08:15:00.000000Z',
            framework_through_key: 1,
            rails: [
              {
                id: 101,
                name: 'New on Viewer',
                mname: 'new_on_viewer',
                endpoint: 'http://localhost:3000/contents?type=film%2Cshow%2Cdocumentary&order_by=start_date&order_direction=DESC',
                created_at: '2024-12-29T09:00:00.000000Z',
                updated_at: '2026-11-16T08:15:00.000000Z',
                framework_through_key: 1
              }
            ]
          }
        ],
        meta: {
          page: 1,
          per_page: 1,
          next_page: 2,
          prev_page: false,
          total_pages: 5,
          total_count: 5
        }
      }
    }
  },
  'GET /schedule': {
    answer: {
      success: true,
      data: {
        collection: [
          {
            id: 633,
            channel: 'stories',
            starts_at: '2026-11-29T10:40:00.000000Z',
            ends_at: '2026-11-29T12:40:00.000000Z',
            content: {
              id: 1135,
              parent_id: null,
              type: 'film',
              handler: 'reelstack',
              handler_type: 'entry',
              handler_id: 'rs-mbjcphvw',
              name: 'Out and Back',
              title: {
                en: 'Out and Back',
                de: 'Hin und zurück'
              },
              description: {
                en: 'A postwoman runs her old route one last time, all hundred kilometres of it.',
                de: 'Eine Postbotin läuft ihre alte Runde ein letztes Mal, alle hundert Kilometer.'
              },
              weight: 73,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1135.svg',
              thumbnail_handler: 'demo',
              keywords: 'small town, trail',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2025-01-04T07:30:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2024-12-19T06:50:35.000000Z',
              updated_at: '2025-01-24T06:50:35.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '2': {
                  id: '2',
                  vendor_name: 'plus'
                }
              },
              link: 'http://localhost:3000/title/1135',
              duration: 7075,
              min_age: 12,
              markers: [
                {
                  type: 'intro',
                  start: 12,
                  end: 67
                }
              ],
              year: 2023,
              images: [
                {
                  kind: 'poster',
                  url: 'http://localhost:3000/demo/posters/1135.svg',
                  width: 400,
                  height: 600
                }
              ],
              age_ratings: [
                {
                  country: 'US',
                  system: 'MPAA',
                  value: 'PG-13'
                }
              ]
            }
          }
        ],
        meta: {
          page: 1,
          per_page: 1,
          next_page: 2,
          prev_page: false,
          total_pages: 144,
          total_count: 144
        }
      }
    }
  },
  'GET /schedule/now': {
    answer: {
      success: true,
      data: [
        {
          channel: 'stories',
          now: {
            id: 633,
            channel: 'stories',
            starts_at: '2026-11-29T10:40:00.000000Z',
            ends_at: '2026-11-29T12:40:00.000000Z',
            content: {
              id: 1135,
              parent_id: null,
              type: 'film',
              handler: 'reelstack',
              handler_type: 'entry',
              handler_id: 'rs-mbjcphvw',
              name: 'Out and Back',
              title: {
                en: 'Out and Back',
                de: 'Hin und zurück'
              },
              description: {
                en: 'A postwoman runs her old route one last time, all hundred kilometres of it.',
                de: 'Eine Postbotin läuft ihre alte Runde ein letztes Mal, alle hundert Kilometer.'
              },
              weight: 73,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1135.svg',
              thumbnail_handler: 'demo',
              keywords: 'small town, trail',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2025-01-04T07:30:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2024-12-19T06:50:35.000000Z',
              updated_at: '2025-01-24T06:50:35.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '2': {
                  id: '2',
                  vendor_name: 'plus'
                }
              },
              link: 'http://localhost:3000/title/1135',
              duration: 7075,
              min_age: 12,
              markers: [
                {
                  type: 'intro',
                  start: 12,
                  end: 67
                }
              ],
              year: 2023,
              images: [
                {
                  kind: 'poster',
                  url: 'http://localhost:3000/demo/posters/1135.svg',
                  width: 400,
                  height: 600
                }
              ],
              age_ratings: [
                {
                  country: 'US',
                  system: 'MPAA',
                  value: 'PG-13'
                }
              ]
            }
          },
          next: {
            id: 634,
            channel: 'stories',
            starts_at: '2026-11-29T12:40:00.000000Z',
            ends_at: '2026-11-29T14:30:00.000000Z',
            content: {
              id: 1410,
              parent_id: null,
              type: 'film',
              handler: 'harbourcast',
              handler_type: 'entry',
              handler_id: '1_dacboehd',
              name: 'Last Place',
              title: {
                en: 'Last Place',
                de: 'Letzter Platz'
              },
              description: {
                en: 'A bet, a marathon, and a man who owns no running shoes.',
                de: 'Eine Wette, ein Marathon und ein Mann ohne Laufschuhe.'
              },
              weight: 45,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1410.svg',
              thumbnail_handler: 'demo',
              keywords: 'misunderstanding, dry humour, trail, jogging',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2026-09-12T18:30:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2026-09-08T17:59:30.000000Z',
              updated_at: '2026-09-08T17:59:30.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '2': {
                  id: '2',
                  vendor_name: 'plus'
                }
              },
              link: 'http://localhost:3000/title/1410',
              duration: 6450,
              min_age: 6,
              markers: [
                {
                  type: 'intro',
                  start: 7,
                  end: 87
                }
              ],
              year: 2025,
              images: [
                {
                  kind: 'poster',
                  url: 'http://localhost:3000/demo/posters/1410.svg',
                  width: 400,
                  height: 600
                }
              ],
              age_ratings: [
                {
                  country: 'US',
                  system: 'MPAA',
                  value: 'PG'
                }
              ]
            }
          }
        }
      ]
    }
  },
  'GET /contents/{contentId}/similar': {
    answer: {
      success: true,
      data: [
        {
          id: 1135,
          parent_id: null,
          type: 'film',
          handler: 'reelstack',
          handler_type: 'entry',
          handler_id: 'rs-mbjcphvw',
          name: 'Out and Back',
          title: {
            en: 'Out and Back',
            de: 'Hin und zurück'
          },
          description: {
            en: 'A postwoman runs her old route one last time, all hundred kilometres of it.',
            de: 'Eine Postbotin läuft ihre alte Runde ein letztes Mal, alle hundert Kilometer.'
          },
          weight: 73,
          thumbnail: 'http://localhost:3000/demo/thumbnails/1135.svg',
          thumbnail_handler: 'demo',
          keywords: 'small town, trail',
          pricing: null,
          payments_asset_id: null,
          purchaseable: 0,
          start_date: '2025-01-04T07:30:00.000000Z',
          end_date: null,
          countries_include: null,
          countries_exclude: null,
          created_at: '2024-12-19T06:50:35.000000Z',
          updated_at: '2025-01-24T06:50:35.000000Z',
          currency: null,
          price: null,
          price_formatted: null,
          plans: {
            '2': {
              id: '2',
              vendor_name: 'plus'
            }
          },
          link: 'http://localhost:3000/title/1135',
          duration: 7075,
          min_age: 12,
          markers: [
            {
              type: 'intro',
              start: 12,
              end: 67
            }
          ],
          year: 2023,
          images: [
            {
              kind: 'poster',
              url: 'http://localhost:3000/demo/posters/1135.svg',
              width: 400,
              height: 600
            }
          ],
          age_ratings: [
            {
              country: 'US',
              system: 'MPAA',
              value: 'PG-13'
            }
          ],
          recent: false
        }
      ]
    }
  },
  'GET /legal': {
    answer: {
      success: true,
      data: {
        title: 'Terms of use, privacy and cookies',
        sections: [
          {
            title: 'User agreement',
            content:
              '<p>By opening an account you agree to these terms. They apply between you and the operator of this service, and they stay short on purpose.</p><p>An account is personal. You may use it on several devices in your home, but please do not share your password outside of it.</p><p>We may change the catalogue at any time: films come and go, because licences do. If we change these terms, we write to you <strong>thirty days</strong> before.</p>'
          }
        ]
      }
    }
  },
  'GET /legal/{languageCode}': {
    answer: {
      success: true,
      data: {
        title: 'Nutzungsbedingungen, Datenschutz und Cookies',
        sections: [
          {
            title: 'Nutzungsvertrag',
            content:
              '<p>Mit der Eröffnung eines Kontos stimmst du diesen Bedingungen zu. Sie gelten zwischen dir und dem Betreiber dieses Dienstes und sind mit Absicht kurz.</p><p>Ein Konto ist persönlich. Du kannst es auf mehreren Geräten in deinem Haushalt nutzen; gib dein Passwort bitte nicht darüber hinaus weiter.</p><p>Der Katalog kann sich jederzeit ändern: Filme kommen und gehen mit ihren Lizenzen. Ändern wir diese Bedingungen, schreiben wir dir <strong>dreißig Tage</strong> vorher.</p>'
          }
        ]
      }
    }
  },
  'GET /support/context/{context}/texts': {
    answer: {
      success: true,
      data: [
        {
          id: 4,
          context: 'playback',
          language: 'en',
          title: 'The picture stutters',
          content:
            'Close other downloads, move closer to the router, or choose a lower quality in the player. On slow connections the automatic setting does this for you.',
          created_at: '2025-03-11T07:20:00.000000Z',
          updated_at: '2026-04-04T10:00:00.000000Z'
        }
      ]
    }
  },
  'POST /history': {
    request: {
      content_id: 1405,
      time: 312.5,
      percentage: 12
    },
    answer: {
      success: true,
      code: 201,
      message: 'The history element was saved'
    }
  },
  'POST /playing': {
    request: {
      content_id: 1405
    },
    answer: {
      success: true,
      code: 200,
      message: 'The device may play'
    }
  },
  'DELETE /playing': {
    answer: {
      success: true,
      code: 200,
      message: 'The device has stopped playing'
    }
  },
  'GET /history': {
    answer: {
      success: true,
      data: {
        collection: [
          {
            _id: '6b0c1bfe93743e0cf10baa41',
            content: {
              id: 1405,
              parent_id: null,
              type: 'film',
              handler: 'harbourcast',
              handler_type: 'entry',
              handler_id: '1_lyhz96rg',
              name: 'A Harbour for Winter',
              title: {
                en: 'A Harbour for Winter',
                de: 'Ein Hafen für den Winter'
              },
              description: {
                en: 'A lone sailor is iced in beside a village that would like her to stay.',
                de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.'
              },
              weight: 81,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
              thumbnail_handler: 'demo',
              keywords: 'small town, boat, sea, harbour',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2025-08-08T11:00:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2025-07-23T10:47:04.000000Z',
              updated_at: '2025-07-23T10:47:04.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '1': {
                  id: '1',
                  vendor_name: 'basic'
                }
              },
              link: 'http://localhost:3000/title/1405',
              duration: 6945,
              min_age: 6,
              external_ids: {
                eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
                archive: 'film-1405'
              },
              markers: [
                {
                  type: 'intro',
                  start: 12,
                  end: 97
                }
              ],
              year: 2023,
              images: [
                {
                  kind: 'poster',
                  url: 'http://localhost:3000/demo/posters/1405.svg',
                  width: 400,
                  height: 600
                }
              ],
              age_ratings: [
                {
                  country: 'US',
                  system: 'MPAA',
                  value: 'PG'
                }
              ]
            },
            user_id: 1,
            content_id: 1405,
            time: 312.5,
            percentage: 12,
            plays: 0,
            watched_at: null,
            previous: null,
            created_at: '2026-11-15T01:52:22.567000Z',
            updated_at: '2026-11-29T12:35:14.729000Z'
          }
        ],
        meta: {
          page: 1,
          per_page: 1,
          next_page: 2,
          prev_page: false,
          total_pages: 59,
          total_count: 59
        }
      }
    }
  },
  'GET /history/{watchedVideoId}': {
    answer: {
      success: true,
      data: {
        _id: '6b0c1bfe93743e0cf10baa41',
        content: {
          id: 1405,
          parent_id: null,
          type: 'film',
          handler: 'harbourcast',
          handler_type: 'entry',
          handler_id: '1_lyhz96rg',
          name: 'A Harbour for Winter',
          title: {
            en: 'A Harbour for Winter',
            de: 'Ein Hafen für den Winter'
          },
          description: {
            en: 'A lone sailor is iced in beside a village that would like her to stay.',
            de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.'
          },
          weight: 81,
          thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
          thumbnail_handler: 'demo',
          keywords: 'small town, boat, sea, harbour',
          pricing: null,
          payments_asset_id: null,
          purchaseable: 0,
          start_date: '2025-08-08T11:00:00.000000Z',
          end_date: null,
          countries_include: null,
          countries_exclude: null,
          created_at: '2025-07-23T10:47:04.000000Z',
          updated_at: '2025-07-23T10:47:04.000000Z',
          currency: null,
          price: null,
          price_formatted: null,
          plans: {
            '1': {
              id: '1',
              vendor_name: 'basic'
            }
          },
          link: 'http://localhost:3000/title/1405',
          duration: 6945,
          min_age: 6,
          external_ids: {
            eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
            archive: 'film-1405'
          },
          markers: [
            {
              type: 'intro',
              start: 12,
              end: 97
            }
          ],
          year: 2023,
          images: [
            {
              kind: 'poster',
              url: 'http://localhost:3000/demo/posters/1405.svg',
              width: 400,
              height: 600
            }
          ],
          age_ratings: [
            {
              country: 'US',
              system: 'MPAA',
              value: 'PG'
            }
          ]
        },
        user_id: 1,
        content_id: 1405,
        time: 312.5,
        percentage: 12,
        plays: 0,
        watched_at: null,
        previous: null,
        created_at: '2026-11-15T01:52:22.567000Z',
        updated_at: '2026-11-29T12:35:14.729000Z'
      }
    }
  },
  'PUT /history/{watchedVideoId}': {
    request: {
      time: 340,
      percentage: 13
    },
    answer: {
      success: true,
      code: 200,
      message: 'The history element was updated'
    }
  },
  'POST /history/batch': {
    request: {
      reports: [
        {
          content_id: 1405,
          time: 355,
          observed_at: '2026-11-29T12:35:14.729000Z'
        },
        {
          content_id: 999999,
          time: 10
        }
      ]
    },
    answer: {
      success: true,
      code: 200,
      message: 'The reports were saved',
      data: {
        saved: 1,
        refused: [
          {
            index: 1,
            code: 404,
            message: "'The content was not found"
          }
        ]
      }
    }
  },
  'POST /history/watched': {
    request: {
      content_id: 1405,
      watched: true
    },
    answer: {
      success: true,
      code: 200,
      message: 'The history was marked',
      data: {
        changed: 1
      }
    }
  },
  'GET /watchlist/{elementId}': {
    answer: {
      success: true,
      data: {
        _id: '6b0c1bfe93743e0cf10baa41',
        content: {
          id: 1405,
          parent_id: null,
          type: 'film',
          handler: 'harbourcast',
          handler_type: 'entry',
          handler_id: '1_lyhz96rg',
          name: 'A Harbour for Winter',
          title: {
            en: 'A Harbour for Winter',
            de: 'Ein Hafen für den Winter'
          },
          description: {
            en: 'A lone sailor is iced in beside a village that would like her to stay.',
            de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.'
          },
          weight: 81,
          thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
          thumbnail_handler: 'demo',
          keywords: 'small town, boat, sea, harbour',
          pricing: null,
          payments_asset_id: null,
          purchaseable: 0,
          start_date: '2025-08-08T11:00:00.000000Z',
          end_date: null,
          countries_include: null,
          countries_exclude: null,
          created_at: '2025-07-23T10:47:04.000000Z',
          updated_at: '2025-07-23T10:47:04.000000Z',
          currency: null,
          price: null,
          price_formatted: null,
          plans: {
            '1': {
              id: '1',
              vendor_name: 'basic'
            }
          },
          link: 'http://localhost:3000/title/1405',
          duration: 6945,
          min_age: 6,
          external_ids: {
            eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
            archive: 'film-1405'
          },
          markers: [
            {
              type: 'intro',
              start: 12,
              end: 97
            }
          ],
          year: 2023,
          images: [
            {
              kind: 'poster',
              url: 'http://localhost:3000/demo/posters/1405.svg',
              width: 400,
              height: 600
            }
          ],
          age_ratings: [
            {
              country: 'US',
              system: 'MPAA',
              value: 'PG'
            }
          ]
        },
        user_id: 1,
        content_id: 1405,
        time: 6945,
        percentage: 100,
        plays: 1,
        watched_at: '2026-11-29T12:35:14.793000Z',
        previous: null,
        created_at: '2026-11-15T01:52:22.567000Z',
        updated_at: '2026-11-29T12:35:14.793000Z'
      }
    }
  },
  'GET /plays': {
    answer: {
      success: true,
      data: {
        collection: [
          {
            content_id: 1452,
            content: {
              id: 1452,
              parent_id: 1444,
              type: 'episode',
              handler: 'reelstack',
              handler_type: 'entry',
              handler_id: 'rs-j467ccoh',
              name: 'Evening Forward Folds',
              title: {
                en: 'Evening Forward Folds',
                de: 'Abendliche Vorbeugen'
              },
              description: {
                en: '51 minutes. All the options are shown, so stay with the one that suits you.',
                de: '51 Minuten. Alle Varianten werden gezeigt; bleib bei der, die dir passt.'
              },
              weight: null,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1452.svg',
              thumbnail_handler: 'demo',
              keywords: 'mat, lesson',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2026-08-12T17:00:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2026-07-17T16:59:40.000000Z',
              updated_at: '2026-07-17T16:59:40.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '2': {
                  id: '2',
                  vendor_name: 'plus'
                }
              },
              link: 'http://localhost:3000/title/1452',
              duration: 3060,
              min_age: 0,
              season: 1,
              episode: 8,
              markers: [
                {
                  type: 'recap',
                  start: 10,
                  end: 53
                }
              ],
              year: 2025,
              images: [
                {
                  kind: 'poster',
                  url: 'http://localhost:3000/demo/posters/1452.svg',
                  width: 400,
                  height: 600
                }
              ],
              age_ratings: [
                {
                  country: 'US',
                  system: 'TV Parental Guidelines',
                  value: 'TV-G'
                }
              ]
            },
            at: '2026-11-28T06:53:07.567000Z'
          }
        ],
        meta: {
          page: 1,
          per_page: 1,
          next_page: 2,
          prev_page: false,
          total_pages: 90,
          total_count: 90
        }
      }
    }
  },
  'GET /me/years/{year}': {
    answer: {
      success: true,
      data: {
        year: 2025,
        plays: 7,
        minutes: 358,
        titles: 2,
        by_month: [
          {
            plays: 0,
            minutes: 0
          }
        ],
        top: [
          {
            content: {
              id: 1046,
              parent_id: null,
              type: 'show',
              handler: 'harbourcast',
              handler_type: 'playlist',
              handler_id: '1_obfei0th',
              name: 'Yoga for Climbers',
              title: {
                en: 'Yoga for Climbers',
                de: 'Yoga für Kletterer'
              },
              description: {
                en: 'Open shoulders, patient hips, strong fingers: a course between two days on the rock.',
                de: 'Offene Schultern, geduldige Hüften, starke Finger: ein Kurs zwischen zwei Tagen am Fels.'
              },
              weight: 90,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1046.svg',
              thumbnail_handler: 'demo',
              keywords: 'stretch, lesson, beginner',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2025-08-23T15:30:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2025-08-16T14:37:56.000000Z',
              updated_at: '2025-08-16T14:37:56.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '2': {
                  id: '2',
                  vendor_name: 'plus'
                }
              },
              link: 'http://localhost:3000/title/1046',
              min_age: 0,
              year: 2024,
              images: [
                {
                  kind: 'poster',
                  url: 'http://localhost:3000/demo/posters/1046.svg',
                  width: 400,
                  height: 600
                }
              ],
              age_ratings: [
                {
                  country: 'US',
                  system: 'TV Parental Guidelines',
                  value: 'TV-G'
                }
              ]
            },
            plays: 5,
            minutes: 180
          }
        ],
        terms: [
          {
            id: 5,
            name: 'Courses',
            minutes: 180
          }
        ]
      }
    }
  },
  'GET /continue-watching': {
    answer: {
      success: true,
      data: {
        collection: [
          {
            reason: 'resume',
            content: {
              id: 1023,
              parent_id: 1020,
              type: 'episode',
              handler: 'harbourcast',
              handler_type: 'entry',
              handler_id: '1_m6l3wve7',
              name: 'The Chimney',
              title: {
                en: 'The Chimney',
                de: 'Der Kamin'
              },
              description: {
                en: 'Ninety metres that nobody wants to photograph.',
                de: 'Neunzig Meter, die niemand fotografieren will.'
              },
              weight: null,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1023.svg',
              thumbnail_handler: 'demo',
              keywords: 'rope, granite, true story, portrait',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2026-08-02T11:30:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2026-07-19T10:59:53.000000Z',
              updated_at: '2026-08-17T10:59:53.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '2': {
                  id: '2',
                  vendor_name: 'plus'
                }
              },
              link: 'http://localhost:3000/title/1023',
              duration: 2111,
              min_age: 6,
              season: 2,
              episode: 3,
              markers: [
                {
                  type: 'recap',
                  start: 7,
                  end: 59
                }
              ],
              year: 2025,
              images: [
                {
                  kind: 'poster',
                  url: 'http://localhost:3000/demo/posters/1023.svg',
                  width: 400,
                  height: 600
                }
              ],
              age_ratings: [
                {
                  country: 'US',
                  system: 'TV Parental Guidelines',
                  value: 'TV-PG'
                }
              ]
            },
            history: {
              _id: '6b0c1bfe93743e0cf10baa4e',
              user_id: 1,
              content_id: 1023,
              time: 1140,
              percentage: 54,
              plays: 0,
              watched_at: null,
              previous: null,
              created_at: '2026-11-29T09:02:56.567000Z',
              updated_at: '2026-11-29T09:38:07.567000Z'
            },
            resume: {
              time: 1140,
              percentage: 54
            },
            updated_at: '2026-11-29T09:38:07.567000Z'
          }
        ],
        meta: {
          page: 1,
          per_page: 1,
          next_page: 2,
          prev_page: false,
          total_pages: 9,
          total_count: 9
        }
      }
    }
  },
  'GET /recommendations': {
    answer: {
      success: true,
      data: [
        {
          id: 1382,
          parent_id: null,
          type: 'show',
          handler: 'harbourcast',
          handler_type: 'playlist',
          handler_id: '1_4kxa2q50',
          name: 'Learning the Water',
          title: {
            en: 'Learning the Water',
            de: 'Das Wasser lernen'
          },
          description: {
            en: 'For adults who never quite learned to swim, and for those who learned it badly.',
            de: 'Für Erwachsene, die nie richtig schwimmen gelernt haben, und für die, die es falsch gelernt haben.'
          },
          weight: 90,
          thumbnail: 'http://localhost:3000/demo/thumbnails/1382.svg',
          thumbnail_handler: 'demo',
          keywords: 'pool, crawl',
          pricing: null,
          payments_asset_id: null,
          purchaseable: 0,
          start_date: '2025-02-18T14:00:00.000000Z',
          end_date: null,
          countries_include: null,
          countries_exclude: null,
          created_at: '2025-01-14T13:04:06.000000Z',
          updated_at: '2025-01-14T13:04:06.000000Z',
          currency: null,
          price: null,
          price_formatted: null,
          plans: {
            '2': {
              id: '2',
              vendor_name: 'plus'
            }
          },
          link: 'http://localhost:3000/title/1382',
          min_age: 0,
          year: 2024,
          images: [
            {
              kind: 'poster',
              url: 'http://localhost:3000/demo/posters/1382.svg',
              width: 400,
              height: 600
            }
          ],
          age_ratings: [
            {
              country: 'US',
              system: 'TV Parental Guidelines',
              value: 'TV-G'
            }
          ],
          deleted_at: null,
          recent: false,
          reason: {
            type: 'popular'
          }
        }
      ]
    }
  },
  'GET /home': {
    answer: {
      success: true,
      data: {
        rows: [],
        missing: []
      }
    }
  },
  'POST /watchlist': {
    request: {
      content_id: 1405
    },
    answer: {
      success: true,
      code: 201,
      message: 'The content was added to the watchlist'
    }
  },
  'GET /watchlist': {
    answer: {
      success: true,
      data: {
        collection: [
          {
            id: 24,
            user_id: 1,
            content_id: 1405,
            video_id: '1_lyhz96rg',
            created_at: '2026-11-29T12:35:14.930000Z',
            updated_at: '2026-11-29T12:35:14.930000Z',
            content: {
              id: 1405,
              parent_id: null,
              type: 'film',
              handler: 'harbourcast',
              handler_type: 'entry',
              handler_id: '1_lyhz96rg',
              name: 'A Harbour for Winter',
              title: {
                en: 'A Harbour for Winter',
                de: 'Ein Hafen für den Winter'
              },
              description: {
                en: 'A lone sailor is iced in beside a village that would like her to stay.',
                de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.'
              },
              weight: 81,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
              thumbnail_handler: 'demo',
              keywords: 'small town, boat, sea, harbour',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2025-08-08T11:00:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2025-07-23T10:47:04.000000Z',
              updated_at: '2025-07-23T10:47:04.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '1': {
                  id: '1',
                  vendor_name: 'basic'
                }
              },
              link: 'http://localhost:3000/title/1405',
              duration: 6945,
              min_age: 6,
              external_ids: {
                eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
                archive: 'film-1405'
              },
              markers: [
                {
                  type: 'intro',
                  start: 12,
                  end: 97
                }
              ],
              year: 2023,
              images: [
                {
                  kind: 'poster',
                  url: 'http://localhost:3000/demo/posters/1405.svg',
                  width: 400,
                  height: 600
                }
              ],
              age_ratings: [
                {
                  country: 'US',
                  system: 'MPAA',
                  value: 'PG'
                }
              ]
            }
          }
        ],
        meta: {
          page: 1,
          per_page: 1,
          next_page: 2,
          prev_page: false,
          total_pages: 8,
          total_count: 8
        }
      }
    }
  },
  'GET /me/export': {
    answer: {
      success: true,
      data: {
        users: [
          {
            id: 1,
            email: 'ada@example.com',
            name: 'Ada',
            created_at: '2026-11-29T12:35:10.079000Z',
            updated_at: '2026-11-29T12:35:10.079000Z'
          }
        ],
        history: [
          {
            _id: '6b0c1bfe93743e0cf10baa1f',
            user_id: 1,
            content_id: 1014,
            time: 1453,
            percentage: 99,
            plays: 2,
            watched_at: '2026-10-08T18:11:07.567000Z',
            previous: null,
            created_at: '2026-04-23T17:46:39.567000Z',
            updated_at: '2026-10-08T18:11:07.567000Z',
            played_at: ['2026-10-08T18:11:07.567000Z']
          }
        ],
        watchlist: [
          {
            id: 1,
            user_id: 1,
            content_id: 1554,
            created_at: '2026-11-28T12:17:07.567000Z',
            updated_at: '2026-11-28T12:17:07.567000Z'
          }
        ],
        hidden: [],
        ratings: [],
        preferences: [],
        seen: [],
        sessions: [
          {
            id: '35413d24-7b71-4994-8e15-a5fa60ffad94',
            device: 'Living room TV',
            created_at: '2026-11-29T12:35:14.604000Z',
            last_used_at: '2026-11-29T12:35:14.604000Z'
          }
        ],
        exported_at: '2026-11-29T12:35:15.060000Z'
      }
    }
  },
  'POST /recommendations/seen': {
    request: {
      content_ids: [1405]
    },
    answer: {
      success: true,
      code: 200,
      message: 'The titles were noted'
    }
  },
  'DELETE /watchlist/{elementId}': {
    answer: {
      success: true,
      code: 200,
      message: 'The watchlist element was removed'
    }
  },
  'DELETE /watchlist': {
    answer: {
      success: true,
      code: 200,
      message: 'The watchlist was emptied'
    }
  },
  'DELETE /continue-watching/{contentId}': {
    answer: {
      success: true,
      code: 200,
      message: 'The card was hidden'
    }
  },
  'PUT /hidden/{contentId}': {
    answer: {
      success: true,
      code: 200,
      message: 'The title was hidden'
    }
  },
  'GET /hidden': {
    answer: {
      success: true,
      data: {
        collection: [
          {
            content_id: 1405,
            content: {
              id: 1405,
              parent_id: null,
              type: 'film',
              handler: 'harbourcast',
              handler_type: 'entry',
              handler_id: '1_lyhz96rg',
              name: 'A Harbour for Winter',
              title: {
                en: 'A Harbour for Winter',
                de: 'Ein Hafen für den Winter'
              },
              description: {
                en: 'A lone sailor is iced in beside a village that would like her to stay.',
                de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.'
              },
              weight: 81,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
              thumbnail_handler: 'demo',
              keywords: 'small town, boat, sea, harbour',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2025-08-08T11:00:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2025-07-23T10:47:04.000000Z',
              updated_at: '2025-07-23T10:47:04.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '1': {
                  id: '1',
                  vendor_name: 'basic'
                }
              },
              link: 'http://localhost:3000/title/1405',
              duration: 6945,
              min_age: 6,
              external_ids: {
                eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
                archive: 'film-1405'
              },
              markers: [
                {
                  type: 'intro',
                  start: 12,
                  end: 97
                }
              ],
              year: 2023,
              images: [
                {
                  kind: 'poster',
                  url: 'http://localhost:3000/demo/posters/1405.svg',
                  width: 400,
                  height: 600
                }
              ],
              age_ratings: [
                {
                  country: 'US',
                  system: 'MPAA',
                  value: 'PG'
                }
              ]
            },
            created_at: '2026-11-29T12:35:15.143000Z'
          }
        ],
        meta: {
          page: 1,
          per_page: 1,
          next_page: false,
          prev_page: false,
          total_pages: 1,
          total_count: 1
        }
      }
    }
  },
  'DELETE /hidden/{contentId}': {
    answer: {
      success: true,
      code: 200,
      message: 'The title is shown again'
    }
  },
  'PUT /ratings/{contentId}': {
    request: {
      rating: 'like'
    },
    answer: {
      success: true,
      code: 200,
      message: 'The title was rated'
    }
  },
  'GET /ratings': {
    answer: {
      success: true,
      data: {
        collection: [
          {
            content_id: 1405,
            content: {
              id: 1405,
              parent_id: null,
              type: 'film',
              handler: 'harbourcast',
              handler_type: 'entry',
              handler_id: '1_lyhz96rg',
              name: 'A Harbour for Winter',
              title: {
                en: 'A Harbour for Winter',
                de: 'Ein Hafen für den Winter'
              },
              description: {
                en: 'A lone sailor is iced in beside a village that would like her to stay.',
                de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.'
              },
              weight: 81,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
              thumbnail_handler: 'demo',
              keywords: 'small town, boat, sea, harbour',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2025-08-08T11:00:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2025-07-23T10:47:04.000000Z',
              updated_at: '2025-07-23T10:47:04.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '1': {
                  id: '1',
                  vendor_name: 'basic'
                }
              },
              link: 'http://localhost:3000/title/1405',
              duration: 6945,
              min_age: 6,
              external_ids: {
                eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
                archive: 'film-1405'
              },
              markers: [
                {
                  type: 'intro',
                  start: 12,
                  end: 97
                }
              ],
              year: 2023,
              images: [
                {
                  kind: 'poster',
                  url: 'http://localhost:3000/demo/posters/1405.svg',
                  width: 400,
                  height: 600
                }
              ],
              age_ratings: [
                {
                  country: 'US',
                  system: 'MPAA',
                  value: 'PG'
                }
              ]
            },
            rating: 'like',
            created_at: '2026-11-29T12:35:15.194000Z'
          }
        ],
        meta: {
          page: 1,
          per_page: 1,
          next_page: false,
          prev_page: false,
          total_pages: 1,
          total_count: 1
        }
      }
    }
  },
  'DELETE /ratings/{contentId}': {
    answer: {
      success: true,
      code: 200,
      message: 'The rating was removed'
    }
  },
  'PUT /preferences': {
    request: {
      audio: 'en',
      subtitles: 'off'
    },
    answer: {
      success: true,
      code: 200,
      message: 'The preferences were changed'
    }
  },
  'GET /preferences': {
    answer: {
      success: true,
      data: {
        audio: 'en',
        subtitles: 'off'
      }
    }
  },
  'PUT /preferences/{contentId}': {
    request: {
      subtitles: 'de'
    },
    answer: {
      success: true,
      code: 200,
      message: 'The preferences were changed'
    }
  },
  'GET /preferences/{contentId}': {
    answer: {
      success: true,
      data: {
        audio: 'en',
        subtitles: 'de'
      }
    }
  },
  'DELETE /preferences/{contentId}': {
    answer: {
      success: true,
      code: 200,
      message: 'The preferences were removed'
    }
  },
  'DELETE /preferences': {
    answer: {
      success: true,
      code: 200,
      message: 'The preferences were removed'
    }
  },
  'GET /changes': {
    answer: {
      success: true,
      data: {
        history: [
          {
            _id: '6b0c1bfe93743e0cf10baa1f',
            user_id: 1,
            content_id: 1014,
            time: 1453,
            percentage: 99,
            plays: 2,
            watched_at: '2026-10-08T18:11:07.567000Z',
            previous: null,
            created_at: '2026-04-23T17:46:39.567000Z',
            updated_at: '2026-10-08T18:11:07.567000Z'
          }
        ],
        watchlist: [],
        hidden: [],
        ratings: [],
        preferences: [],
        removed: {
          history: [],
          watchlist: [],
          hidden: [],
          ratings: [],
          preferences: []
        },
        cursor: 'WzEsMTc5MTQ4MzA2NzU2NywwLCI2YjBjMWJmZTkzNzQzZTBjZjEwYmFhMWYiLDEwMTQsMTc5NTk1NTcwNTMxMCwxLDE3OTU5NTU3MDUzMTBdXWNEXUJfU4a',
        more: true,
        reset: false
      }
    }
  },
  'DELETE /history/{watchedVideoId}': {
    answer: {
      success: true,
      code: 200,
      message: 'The history element was removed'
    }
  },
  'DELETE /history': {
    answer: {
      success: true,
      code: 200,
      message: 'The history was removed'
    }
  },
  'POST /login/refresh': {
    request: {
      refresh_token: '0f8b6c1e…'
    },
    answer: {
      success: true,
      data: {
        access_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9…',
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: '0f8b6c1e…',
        user: {
          id: 1,
          email: 'ada@example.com',
          name: 'Ada'
        }
      }
    }
  },
  'POST /login/device': {
    request: {
      device: 'Bedroom TV'
    },
    answer: {
      success: true,
      data: {
        device_code: 'GmRhmhcx…',
        user_code: 'RJRN-RCKT',
        verification_uri: 'http://localhost:3000/#device',
        verification_uri_complete: 'http://localhost:3000/?user_code=RJRN-RCKT#device',
        expires_in: 600,
        interval: 5
      }
    }
  },
  'GET /login/device/{userCode}': {
    answer: {
      success: true,
      data: {
        device: 'Bedroom TV',
        created_at: '2026-11-29T12:35:15.500000Z'
      }
    }
  },
  'POST /login/device/{userCode}': {
    request: {
      approve: true
    },
    answer: {
      success: true,
      code: 200,
      message: 'The device was approved'
    }
  },
  'POST /login/device/token': {
    request: {
      device_code: 'GmRhmhcx…'
    },
    answer: {
      success: true,
      data: {
        access_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9…',
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: '0f8b6c1e…',
        user: {
          id: 1,
          email: 'ada@example.com',
          name: 'Ada'
        }
      }
    }
  },
  'GET /me': {
    answer: {
      success: true,
      data: {
        id: 1,
        email: 'ada@example.com',
        name: 'Ada'
      }
    }
  },
  'POST /profiles': {
    request: {
      name: 'Mia',
      max_age: 6
    },
    answer: {
      success: true,
      code: 201,
      message: 'The profile was added'
    }
  },
  'GET /profiles': {
    answer: {
      success: true,
      data: [
        {
          id: 1,
          name: 'Ada',
          max_age: null,
          has_pin: false,
          first: true
        }
      ]
    }
  },
  'PUT /profiles/{profileId}': {
    request: {
      max_age: 12
    },
    answer: {
      success: true,
      code: 200,
      message: 'The profile was changed'
    }
  },
  'POST /profiles/{profileId}/token': {
    request: {},
    answer: {
      success: true,
      data: {
        access_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9…',
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: '0f8b6c1e…',
        user: {
          id: 1241,
          email: '',
          name: 'Mia',
          account_id: 1
        }
      }
    }
  },
  'DELETE /profiles/{profileId}': {
    answer: {
      success: true,
      code: 200,
      message: 'The profile was deleted'
    }
  },
  'GET /sessions': {
    answer: {
      success: true,
      data: [
        {
          id: 'd2627f11-3b40-4e08-b68d-a2a8ddf78013',
          device: 'Bedroom TV',
          created_at: '2026-11-29T12:35:15.600000Z',
          last_used_at: '2026-11-29T12:35:15.600000Z',
          current: false
        }
      ]
    }
  },
  'DELETE /sessions/{sessionId}': {
    answer: {
      success: true,
      code: 200,
      message: 'The session was ended'
    }
  },
  'DELETE /sessions': {
    answer: {
      success: true,
      code: 200,
      message: 'The sessions were ended'
    }
  },
  'PUT /me/password': {
    request: {
      password: 'demo-password',
      new_password: 'another-demo-password'
    },
    answer: {
      success: true,
      code: 200,
      message: 'The password was changed'
    }
  },
  'POST /logout': {
    answer: {
      success: true,
      code: 200,
      message: 'Logged out'
    }
  },
  'GET /health': {
    answer: {
      success: true,
      data: {
        status: 'alive'
      }
    }
  },
  'GET /ready': {
    answer: {
      success: true,
      data: {
        status: 'ready'
      }
    }
  },
  'DELETE /me': {
    request: {
      password: 'demo-password'
    },
    answer: {
      success: true,
      code: 200,
      message: 'The user was erased'
    }
  }
}
