/** Answers of the demo catalogue, by operation. Written by `npm run examples`. */
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
              de: 'Gitarre von null',
              nl: 'Gitaar vanaf nul',
              sv: 'Gitarr från noll'
            },
            description: {
              en: 'Two chords in the first lesson, a whole song in the third.',
              de: 'Zwei Akkorde in der ersten Stunde, ein ganzes Lied in der dritten.',
              nl: 'Twee akkoorden in de eerste les, een heel liedje in de derde.',
              sv: 'Två ackord på första lektionen, en hel låt på den tredje.'
            },
            weight: 99,
            thumbnail: 'http://localhost:3000/demo/thumbnails/1188.svg',
            thumbnail_handler: 'demo',
            keywords: 'concert, instrument, beginner',
            pricing: null,
            payments_asset_id: null,
            purchaseable: 0,
            start_date: '2026-07-16T12:30:00.000000Z',
            end_date: null,
            countries_include: null,
            countries_exclude: null,
            created_at: '2026-07-01T11:50:49.000000Z',
            updated_at: '2026-07-01T11:50:49.000000Z',
            currency: null,
            price: null,
            price_formatted: null,
            plans: {
              '2': {
                id: '2',
                vendor_name: 'plus'
              },
              '3': {
                id: '3',
                vendor_name: 'family'
              }
            },
            link: 'http://localhost:3000/title/1188',
            min_age: 0
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
          de: 'Ein Hafen für den Winter',
          nl: 'Een haven voor de winter',
          sv: 'En vinterhamn'
        },
        description: {
          en: 'A lone sailor is iced in beside a village that would like her to stay.',
          de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.',
          nl: 'Een solozeilster vriest vast bij een dorp dat haar graag houdt.',
          sv: 'En ensamseglare fryser fast vid en by som gärna vill behålla henne.'
        },
        weight: 81,
        thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
        thumbnail_handler: 'demo',
        keywords: 'small town, boat, sea, harbour',
        pricing: null,
        payments_asset_id: null,
        purchaseable: 0,
        start_date: '2025-08-02T11:00:00.000000Z',
        end_date: null,
        countries_include: null,
        countries_exclude: null,
        created_at: '2025-07-17T10:47:04.000000Z',
        updated_at: '2025-07-17T10:47:04.000000Z',
        currency: null,
        price: null,
        price_formatted: null,
        plans: {
          '1': {
            id: '1',
            vendor_name: 'basic'
          },
          '2': {
            id: '2',
            vendor_name: 'plus'
          },
          '3': {
            id: '3',
            vendor_name: 'family'
          }
        },
        link: 'http://localhost:3000/title/1405',
        duration: 6945,
        min_age: 6,
        external_ids: {
          eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
          archive: 'film-1405'
        }
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
            created_at: '2025-01-10T16:00:00.000000Z',
            updated_at: '2025-01-10T16:00:00.000000Z'
          },
          {
            id: 26,
            vendor_id: 'dis_strength',
            name: 'Strength',
            taxonomy: 'discipline',
            created_at: '2025-01-07T18:30:00.000000Z',
            updated_at: '2026-06-01T18:30:00.000000Z'
          }
        ],
        meta: {
          page: 1,
          per_page: 2,
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
        created_at: '2024-10-24T07:00:00.000000Z',
        updated_at: '2026-05-07T07:00:00.000000Z'
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
            created_at: '2024-12-23T09:00:00.000000Z',
            updated_at: '2026-11-10T08:15:00.000000Z',
            framework_through_key: 1,
            rails: [
              {
                id: 101,
                name: 'New on Viewer',
                mname: 'new_on_viewer',
                endpoint: 'http://localhost:3000/contents?type=film%2Cshow%2Cdocumentary&order_by=start_date&order_direction=DESC',
                created_at: '2024-12-23T09:00:00.000000Z',
                updated_at: '2026-11-10T08:15:00.000000Z',
                framework_through_key: 1
              },
              {
                id: 102,
                name: 'Everyone is watching',
                mname: 'everyone_is_watching',
                endpoint: 'http://localhost:3000/contents?type=show&order_by=weight&order_direction=DESC',
                created_at: '2024-12-23T09:00:00.000000Z',
                updated_at: '2026-11-10T08:15:00.000000Z',
                framework_through_key: 1
              },
              {
                id: 103,
                name: 'Ten minutes to spare',
                mname: 'ten_minutes_to_spare',
                endpoint: 'http://localhost:3000/contents?type=clip&order_by=weight&order_direction=DESC',
                created_at: '2024-12-23T09:00:00.000000Z',
                updated_at: '2026-11-10T08:15:00.000000Z',
                framework_through_key: 1
              },
              {
                id: 104,
                name: 'Picked by our editors',
                mname: 'picked_by_our_editors',
                endpoint:
                  'http://localhost:3000/contents?type=film%2Cshow%2Cdocumentary&ids=1484%2C1259%2C1349%2C1062%2C1001%2C1411%2C1421%2C1169',
                created_at: '2024-12-23T09:00:00.000000Z',
                updated_at: '2026-11-10T08:15:00.000000Z',
                framework_through_key: 1
              },
              {
                id: 105,
                name: 'Live and recently live',
                mname: 'live_and_recently_live',
                endpoint: 'http://localhost:3000/contents?type=live&order_by=start_date&order_direction=DESC',
                created_at: '2024-12-23T09:00:00.000000Z',
                updated_at: '2026-11-10T08:15:00.000000Z',
                framework_through_key: 1
              },
              {
                id: 106,
                name: 'Latest episodes',
                mname: 'latest_episodes',
                endpoint: 'http://localhost:3000/contents?type=episode&order_by=start_date&order_direction=DESC',
                created_at: '2024-12-23T09:00:00.000000Z',
                updated_at: '2026-11-10T08:15:00.000000Z',
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
            id: 634,
            channel: 'stories',
            starts_at: '2026-11-23T12:40:00.000000Z',
            ends_at: '2026-11-23T14:30:00.000000Z',
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
                de: 'Letzter Platz',
                nl: 'Laatste plaats',
                sv: 'Sista plats'
              },
              description: {
                en: 'A bet, a marathon, and a man who owns no running shoes.',
                de: 'Eine Wette, ein Marathon und ein Mann ohne Laufschuhe.',
                nl: 'Een weddenschap, een marathon en een man zonder hardloopschoenen.',
                sv: 'Ett vad, ett maraton och en man utan löparskor.'
              },
              weight: 45,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1410.svg',
              thumbnail_handler: 'demo',
              keywords: 'misunderstanding, dry humour, trail, jogging',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2026-09-06T18:30:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2026-09-02T17:59:30.000000Z',
              updated_at: '2026-09-02T17:59:30.000000Z',
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
              min_age: 6
            }
          }
        ],
        meta: {
          page: 1,
          per_page: 1,
          next_page: 2,
          prev_page: false,
          total_pages: 143,
          total_count: 143
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
            id: 634,
            channel: 'stories',
            starts_at: '2026-11-23T12:40:00.000000Z',
            ends_at: '2026-11-23T14:30:00.000000Z',
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
                de: 'Letzter Platz',
                nl: 'Laatste plaats',
                sv: 'Sista plats'
              },
              description: {
                en: 'A bet, a marathon, and a man who owns no running shoes.',
                de: 'Eine Wette, ein Marathon und ein Mann ohne Laufschuhe.',
                nl: 'Een weddenschap, een marathon en een man zonder hardloopschoenen.',
                sv: 'Ett vad, ett maraton och en man utan löparskor.'
              },
              weight: 45,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1410.svg',
              thumbnail_handler: 'demo',
              keywords: 'misunderstanding, dry humour, trail, jogging',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2026-09-06T18:30:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2026-09-02T17:59:30.000000Z',
              updated_at: '2026-09-02T17:59:30.000000Z',
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
              min_age: 6
            }
          },
          next: {
            id: 635,
            channel: 'stories',
            starts_at: '2026-11-23T14:30:00.000000Z',
            ends_at: '2026-11-23T14:35:00.000000Z',
            content: {
              id: 1708,
              parent_id: null,
              type: 'clip',
              handler: 'harbourcast',
              handler_type: 'entry',
              handler_id: '1_dc24gx49',
              name: 'Every Runner You Meet at Six',
              title: {
                en: 'Every Runner You Meet at Six',
                de: 'Alle, die um sechs laufen',
                nl: 'Iedereen die om zes uur loopt',
                sv: 'Alla som springer klockan sex'
              },
              description: {
                en: 'The nodder, the talker, the one with the dog.',
                de: 'Der Nicker, die Rednerin, der mit dem Hund.',
                nl: 'De knikker, de prater, die met de hond.',
                sv: 'Nickaren, prataren och hon med hunden.'
              },
              weight: 17,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1708.svg',
              thumbnail_handler: 'demo',
              keywords: 'marathon, trail, jogging, ensemble, misunderstanding',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2026-09-14T15:30:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2026-09-05T15:04:52.000000Z',
              updated_at: '2026-10-25T15:04:52.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '1': {
                  id: '1',
                  vendor_name: 'basic'
                },
                '2': {
                  id: '2',
                  vendor_name: 'plus'
                },
                '3': {
                  id: '3',
                  vendor_name: 'family'
                }
              },
              link: 'http://localhost:3000/title/1708',
              duration: 176,
              min_age: 0
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
          id: 1484,
          parent_id: null,
          type: 'show',
          handler: 'reelstack',
          handler_type: 'playlist',
          handler_id: 'rs-xpyb15lu',
          name: 'Windward',
          title: {
            en: 'Windward',
            de: 'Luvwärts',
            nl: 'Loefwaarts',
            sv: 'Mot vinden'
          },
          description: {
            en: 'A family of five sells the house and crosses an ocean in a boat older than the parents.',
            de: 'Eine fünfköpfige Familie verkauft das Haus und überquert in einem Boot, das älter ist als die Eltern, einen Ozean.',
            nl: 'Een gezin van vijf verkoopt het huis en steekt een oceaan over in een boot die ouder is dan de ouders.',
            sv: 'En familj på fem säljer huset och korsar ett hav i en båt som är äldre än föräldrarna.'
          },
          weight: 74,
          thumbnail: 'http://localhost:3000/demo/thumbnails/1484.svg',
          thumbnail_handler: 'demo',
          keywords: 'sea, harbour, portrait',
          pricing: null,
          payments_asset_id: null,
          purchaseable: 0,
          start_date: '2026-06-20T07:30:00.000000Z',
          end_date: null,
          countries_include: null,
          countries_exclude: null,
          created_at: '2026-05-13T07:14:26.000000Z',
          updated_at: '2026-06-07T07:14:26.000000Z',
          currency: null,
          price: null,
          price_formatted: null,
          plans: {
            '2': {
              id: '2',
              vendor_name: 'plus'
            },
            '3': {
              id: '3',
              vendor_name: 'family'
            }
          },
          link: 'http://localhost:3000/title/1484',
          min_age: 6,
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
          },
          {
            title: 'Subscription and payment',
            content:
              '<p>A subscription runs for a month and renews itself until you cancel. You can cancel at any time in your account; you keep access until the end of the month that you paid for.</p><p>Rented titles can be started within thirty days, and watched for 48 hours from the first start. New subscribers may withdraw within fourteen days.</p>'
          },
          {
            title: 'Data policy',
            content:
              '<p>We store what the service needs in order to work:</p><ul><li>your e-mail address and the name you chose,</li><li>your viewing history, so that you can continue where you stopped,</li><li>your watchlist, and the recommendations made from both.</li></ul><p>We do not sell any of it. You can clear your history and your watchlist yourself, and you can ask us for a copy of everything, or for its deletion.</p>'
          },
          {
            title: 'Cookies',
            content:
              '<p>We set one cookie that keeps you signed in, and one that remembers your language. Neither follows you to other sites.</p><p>If you agree, we also count how often pages are opened. Counting works without cookies and without your address.</p>'
          },
          {
            title: 'Rights in the films',
            content:
              '<p>Everything in the catalogue is protected by copyright. You may watch it for yourself and with friends at home; public screenings, copies and recordings need our permission in writing.</p><p>If you believe that a title violates your rights, tell us which one and why, and we answer within a week.</p>'
          },
          {
            title: 'Contact',
            content:
              '<p>Questions about these texts are answered by people, on working days, at <a href="mailto:legal@example.com">legal@example.com</a>.</p><p>You may also turn to the data protection authority of the place where you live.</p>'
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
          },
          {
            title: 'Abonnement und Bezahlung',
            content:
              '<p>Ein Abonnement läuft einen Monat und verlängert sich, bis du kündigst. Kündigen kannst du jederzeit in deinem Konto; der Zugang bleibt bis zum Ende des bezahlten Monats.</p><p>Geliehene Titel können binnen dreißig Tagen begonnen und ab dem ersten Start 48 Stunden lang gesehen werden. Neue Abonnenten können innerhalb von vierzehn Tagen widerrufen.</p>'
          },
          {
            title: 'Datenschutz',
            content:
              '<p>Wir speichern, was der Dienst braucht, um zu funktionieren:</p><ul><li>deine E-Mail-Adresse und den Namen, den du gewählt hast,</li><li>deinen Verlauf, damit du weitersehen kannst, wo du aufgehört hast,</li><li>deine Merkliste und die Empfehlungen, die aus beidem entstehen.</li></ul><p>Nichts davon verkaufen wir. Verlauf und Merkliste kannst du selbst leeren, und du kannst von uns eine Kopie aller Daten oder deren Löschung verlangen.</p>'
          },
          {
            title: 'Cookies',
            content:
              '<p>Wir setzen ein Cookie, das dich angemeldet hält, und eines, das sich deine Sprache merkt. Keines folgt dir auf andere Seiten.</p><p>Wenn du zustimmst, zählen wir außerdem, wie oft Seiten geöffnet werden. Das geschieht ohne Cookies und ohne deine Adresse.</p>'
          },
          {
            title: 'Rechte an den Filmen',
            content:
              '<p>Alles im Katalog ist urheberrechtlich geschützt. Du darfst es für dich und mit Freunden zu Hause sehen; öffentliche Vorführungen, Kopien und Mitschnitte brauchen unsere schriftliche Erlaubnis.</p><p>Wenn ein Titel deine Rechte verletzt, sag uns, welcher und warum; wir antworten binnen einer Woche.</p>'
          },
          {
            title: 'Kontakt',
            content:
              '<p>Fragen zu diesen Texten beantworten Menschen, an Werktagen, unter <a href="mailto:legal@example.com">legal@example.com</a>.</p><p>Du kannst dich auch an die Datenschutzbehörde deines Wohnorts wenden.</p>'
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
          created_at: '2025-03-05T07:20:00.000000Z',
          updated_at: '2026-03-29T10:00:00.000000Z'
        },
        {
          id: 5,
          context: 'playback',
          language: 'en',
          title: 'Sound and subtitles',
          content: 'Language and subtitles are chosen in the player, behind the speech bubble. Your choice is kept for the next title.',
          created_at: '2025-04-05T07:20:00.000000Z',
          updated_at: '2026-08-30T10:00:00.000000Z'
        },
        {
          id: 6,
          context: 'playback',
          language: 'en',
          title: 'Not available in your country',
          content: 'Some titles may be shown only in certain countries. When you travel, the catalogue follows the country you are in.',
          created_at: '2025-05-07T07:20:00.000000Z',
          updated_at: '2026-03-01T10:00:00.000000Z'
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
  'GET /history': {
    answer: {
      success: true,
      data: {
        collection: [
          {
            _id: '6b0439951b05ea9a2b1c50a9',
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
                de: 'Ein Hafen für den Winter',
                nl: 'Een haven voor de winter',
                sv: 'En vinterhamn'
              },
              description: {
                en: 'A lone sailor is iced in beside a village that would like her to stay.',
                de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.',
                nl: 'Een solozeilster vriest vast bij een dorp dat haar graag houdt.',
                sv: 'En ensamseglare fryser fast vid en by som gärna vill behålla henne.'
              },
              weight: 81,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
              thumbnail_handler: 'demo',
              keywords: 'small town, boat, sea, harbour',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2025-08-02T11:00:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2025-07-17T10:47:04.000000Z',
              updated_at: '2025-07-17T10:47:04.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '1': {
                  id: '1',
                  vendor_name: 'basic'
                },
                '2': {
                  id: '2',
                  vendor_name: 'plus'
                },
                '3': {
                  id: '3',
                  vendor_name: 'family'
                }
              },
              link: 'http://localhost:3000/title/1405',
              duration: 6945,
              min_age: 6,
              external_ids: {
                eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
                archive: 'film-1405'
              }
            },
            user_id: 1,
            content_id: 1405,
            time: 312.5,
            percentage: 12,
            plays: 0,
            watched_at: null,
            created_at: '2026-11-08T02:36:31.475000Z',
            updated_at: '2026-11-23T13:03:20.576000Z'
          }
        ],
        meta: {
          page: 1,
          per_page: 1,
          next_page: 2,
          prev_page: false,
          total_pages: 48,
          total_count: 48
        }
      }
    }
  },
  'GET /history/{watchedVideoId}': {
    answer: {
      success: true,
      data: {
        _id: '6b0439951b05ea9a2b1c50a9',
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
            de: 'Ein Hafen für den Winter',
            nl: 'Een haven voor de winter',
            sv: 'En vinterhamn'
          },
          description: {
            en: 'A lone sailor is iced in beside a village that would like her to stay.',
            de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.',
            nl: 'Een solozeilster vriest vast bij een dorp dat haar graag houdt.',
            sv: 'En ensamseglare fryser fast vid en by som gärna vill behålla henne.'
          },
          weight: 81,
          thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
          thumbnail_handler: 'demo',
          keywords: 'small town, boat, sea, harbour',
          pricing: null,
          payments_asset_id: null,
          purchaseable: 0,
          start_date: '2025-08-02T11:00:00.000000Z',
          end_date: null,
          countries_include: null,
          countries_exclude: null,
          created_at: '2025-07-17T10:47:04.000000Z',
          updated_at: '2025-07-17T10:47:04.000000Z',
          currency: null,
          price: null,
          price_formatted: null,
          plans: {
            '1': {
              id: '1',
              vendor_name: 'basic'
            },
            '2': {
              id: '2',
              vendor_name: 'plus'
            },
            '3': {
              id: '3',
              vendor_name: 'family'
            }
          },
          link: 'http://localhost:3000/title/1405',
          duration: 6945,
          min_age: 6,
          external_ids: {
            eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
            archive: 'film-1405'
          }
        },
        user_id: 1,
        content_id: 1405,
        time: 312.5,
        percentage: 12,
        plays: 0,
        watched_at: null,
        created_at: '2026-11-08T02:36:31.475000Z',
        updated_at: '2026-11-23T13:03:20.576000Z'
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
          observed_at: '2026-11-23T13:03:20.576000Z'
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
  'GET /watchlist/{elementId}': {
    answer: {
      success: true,
      data: {
        _id: '6b0439951b05ea9a2b1c50a9',
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
            de: 'Ein Hafen für den Winter',
            nl: 'Een haven voor de winter',
            sv: 'En vinterhamn'
          },
          description: {
            en: 'A lone sailor is iced in beside a village that would like her to stay.',
            de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.',
            nl: 'Een solozeilster vriest vast bij een dorp dat haar graag houdt.',
            sv: 'En ensamseglare fryser fast vid en by som gärna vill behålla henne.'
          },
          weight: 81,
          thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
          thumbnail_handler: 'demo',
          keywords: 'small town, boat, sea, harbour',
          pricing: null,
          payments_asset_id: null,
          purchaseable: 0,
          start_date: '2025-08-02T11:00:00.000000Z',
          end_date: null,
          countries_include: null,
          countries_exclude: null,
          created_at: '2025-07-17T10:47:04.000000Z',
          updated_at: '2025-07-17T10:47:04.000000Z',
          currency: null,
          price: null,
          price_formatted: null,
          plans: {
            '1': {
              id: '1',
              vendor_name: 'basic'
            },
            '2': {
              id: '2',
              vendor_name: 'plus'
            },
            '3': {
              id: '3',
              vendor_name: 'family'
            }
          },
          link: 'http://localhost:3000/title/1405',
          duration: 6945,
          min_age: 6,
          external_ids: {
            eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
            archive: 'film-1405'
          }
        },
        user_id: 1,
        content_id: 1405,
        time: 340,
        percentage: 13,
        plays: 0,
        watched_at: null,
        created_at: '2026-11-08T02:36:31.475000Z',
        updated_at: '2026-11-23T13:03:20.589000Z'
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
              id: 1405,
              parent_id: null,
              type: 'film',
              handler: 'harbourcast',
              handler_type: 'entry',
              handler_id: '1_lyhz96rg',
              name: 'A Harbour for Winter',
              title: {
                en: 'A Harbour for Winter',
                de: 'Ein Hafen für den Winter',
                nl: 'Een haven voor de winter',
                sv: 'En vinterhamn'
              },
              description: {
                en: 'A lone sailor is iced in beside a village that would like her to stay.',
                de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.',
                nl: 'Een solozeilster vriest vast bij een dorp dat haar graag houdt.',
                sv: 'En ensamseglare fryser fast vid en by som gärna vill behålla henne.'
              },
              weight: 81,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
              thumbnail_handler: 'demo',
              keywords: 'small town, boat, sea, harbour',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2025-08-02T11:00:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2025-07-17T10:47:04.000000Z',
              updated_at: '2025-07-17T10:47:04.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '1': {
                  id: '1',
                  vendor_name: 'basic'
                },
                '2': {
                  id: '2',
                  vendor_name: 'plus'
                },
                '3': {
                  id: '3',
                  vendor_name: 'family'
                }
              },
              link: 'http://localhost:3000/title/1405',
              duration: 6945,
              min_age: 6,
              external_ids: {
                eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
                archive: 'film-1405'
              }
            },
            history: {
              _id: '6b0439951b05ea9a2b1c50a9',
              user_id: 1,
              content_id: 1405,
              time: 340,
              percentage: 13,
              plays: 0,
              watched_at: null,
              created_at: '2026-11-08T02:36:31.475000Z',
              updated_at: '2026-11-23T13:03:20.589000Z'
            },
            updated_at: '2026-11-23T13:03:20.589000Z'
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
            de: 'Das Wasser lernen',
            nl: 'Het water leren',
            sv: 'Lära sig vattnet'
          },
          description: {
            en: 'For adults who never quite learned to swim, and for those who learned it badly.',
            de: 'Für Erwachsene, die nie richtig schwimmen gelernt haben, und für die, die es falsch gelernt haben.',
            nl: 'Voor volwassenen die nooit echt leerden zwemmen, en voor wie het verkeerd leerde.',
            sv: 'För vuxna som aldrig riktigt lärt sig simma, och för dem som lärde sig fel.'
          },
          weight: 90,
          thumbnail: 'http://localhost:3000/demo/thumbnails/1382.svg',
          thumbnail_handler: 'demo',
          keywords: 'pool, crawl',
          pricing: null,
          payments_asset_id: null,
          purchaseable: 0,
          start_date: '2025-02-12T14:00:00.000000Z',
          end_date: null,
          countries_include: null,
          countries_exclude: null,
          created_at: '2025-01-08T13:04:06.000000Z',
          updated_at: '2025-01-08T13:04:06.000000Z',
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
        rows: [
          {
            kind: 'because',
            name: null,
            because: {
              content_id: 1405,
              name: 'A Harbour for Winter'
            },
            more: '/contents/1405/similar',
            items: [
              {
                content: {
                  id: 1607,
                  parent_id: null,
                  type: 'show',
                  handler: 'reelstack',
                  handler_type: 'playlist',
                  handler_id: 'rs-tkae9ret',
                  name: 'Dinghy Summer',
                  title: {
                    en: 'Dinghy Summer',
                    de: 'Jollensommer',
                    nl: 'Jollenzomer',
                    sv: 'Jollesommar'
                  },
                  description: {
                    en: 'Twelve children, six boats and an instructor who is afraid of wind.',
                    de: 'Zwölf Kinder, sechs Boote und ein Lehrer, der Angst vor Wind hat.',
                    nl: 'Twaalf kinderen, zes bootjes en een instructeur die bang is voor wind.',
                    sv: 'Tolv barn, sex båtar och en instruktör som är rädd för vind.'
                  },
                  weight: 84,
                  thumbnail: 'http://localhost:3000/demo/thumbnails/1607.svg',
                  thumbnail_handler: 'demo',
                  keywords: 'boat, sea, children, adventure',
                  pricing: null,
                  payments_asset_id: null,
                  purchaseable: 0,
                  start_date: '2025-01-09T06:00:00.000000Z',
                  end_date: null,
                  countries_include: null,
                  countries_exclude: null,
                  created_at: '2024-12-21T05:17:57.000000Z',
                  updated_at: '2024-12-21T05:17:57.000000Z',
                  currency: null,
                  price: null,
                  price_formatted: null,
                  plans: {
                    '1': {
                      id: '1',
                      vendor_name: 'basic'
                    },
                    '2': {
                      id: '2',
                      vendor_name: 'plus'
                    },
                    '3': {
                      id: '3',
                      vendor_name: 'family'
                    }
                  },
                  link: 'http://localhost:3000/title/1607',
                  min_age: 0
                },
                recent: false
              }
            ]
          }
        ],
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
            id: 14,
            user_id: 1,
            content_id: 1405,
            video_id: '1_lyhz96rg',
            created_at: '2026-11-23T13:03:20.628000Z',
            updated_at: '2026-11-23T13:03:20.628000Z',
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
                de: 'Ein Hafen für den Winter',
                nl: 'Een haven voor de winter',
                sv: 'En vinterhamn'
              },
              description: {
                en: 'A lone sailor is iced in beside a village that would like her to stay.',
                de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.',
                nl: 'Een solozeilster vriest vast bij een dorp dat haar graag houdt.',
                sv: 'En ensamseglare fryser fast vid en by som gärna vill behålla henne.'
              },
              weight: 81,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
              thumbnail_handler: 'demo',
              keywords: 'small town, boat, sea, harbour',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2025-08-02T11:00:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2025-07-17T10:47:04.000000Z',
              updated_at: '2025-07-17T10:47:04.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '1': {
                  id: '1',
                  vendor_name: 'basic'
                },
                '2': {
                  id: '2',
                  vendor_name: 'plus'
                },
                '3': {
                  id: '3',
                  vendor_name: 'family'
                }
              },
              link: 'http://localhost:3000/title/1405',
              duration: 6945,
              min_age: 6,
              external_ids: {
                eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
                archive: 'film-1405'
              }
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
            created_at: '2026-11-23T13:03:17.879000Z',
            updated_at: '2026-11-23T13:03:17.879000Z'
          }
        ],
        history: [
          {
            _id: '6b0439951b05ea9a2b1c508b',
            user_id: 1,
            content_id: 1003,
            time: 1460,
            percentage: 96,
            plays: 0,
            watched_at: null,
            created_at: '2026-10-06T04:48:55.475000Z',
            updated_at: '2026-10-06T05:14:16.475000Z'
          }
        ],
        watchlist: [
          {
            id: 6,
            user_id: 1,
            content_id: 1258,
            created_at: '2026-11-02T06:37:16.475000Z',
            updated_at: '2026-11-02T06:37:16.475000Z'
          }
        ],
        hidden: [],
        sessions: [
          {
            id: 'f8512bbd-9097-4fbd-94f2-1577c1365aaa',
            device: 'Living room TV',
            created_at: '2026-11-23T13:03:20.500000Z',
            last_used_at: '2026-11-23T13:03:20.500000Z'
          }
        ],
        exported_at: '2026-11-23T13:03:20.645000Z'
      }
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
                de: 'Ein Hafen für den Winter',
                nl: 'Een haven voor de winter',
                sv: 'En vinterhamn'
              },
              description: {
                en: 'A lone sailor is iced in beside a village that would like her to stay.',
                de: 'Eine Einhandseglerin friert neben einem Dorf ein, das sie gern behalten würde.',
                nl: 'Een solozeilster vriest vast bij een dorp dat haar graag houdt.',
                sv: 'En ensamseglare fryser fast vid en by som gärna vill behålla henne.'
              },
              weight: 81,
              thumbnail: 'http://localhost:3000/demo/thumbnails/1405.svg',
              thumbnail_handler: 'demo',
              keywords: 'small town, boat, sea, harbour',
              pricing: null,
              payments_asset_id: null,
              purchaseable: 0,
              start_date: '2025-08-02T11:00:00.000000Z',
              end_date: null,
              countries_include: null,
              countries_exclude: null,
              created_at: '2025-07-17T10:47:04.000000Z',
              updated_at: '2025-07-17T10:47:04.000000Z',
              currency: null,
              price: null,
              price_formatted: null,
              plans: {
                '1': {
                  id: '1',
                  vendor_name: 'basic'
                },
                '2': {
                  id: '2',
                  vendor_name: 'plus'
                },
                '3': {
                  id: '3',
                  vendor_name: 'family'
                }
              },
              link: 'http://localhost:3000/title/1405',
              duration: 6945,
              min_age: 6,
              external_ids: {
                eidr: '10.5240/DEMO-0000-0000-0000-1405-X',
                archive: 'film-1405'
              }
            },
            created_at: '2026-11-23T13:03:20.664000Z'
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
  'GET /changes': {
    answer: {
      success: true,
      data: {
        history: [
          {
            _id: '6b0439951b05ea9a2b1c5087',
            user_id: 1,
            content_id: 1014,
            time: 1453,
            percentage: 99,
            plays: 1,
            watched_at: '2026-10-01T18:57:16.475000Z',
            created_at: '2026-10-01T18:32:48.475000Z',
            updated_at: '2026-10-01T18:57:16.475000Z'
          },
          {
            _id: '6b0439951b05ea9a2b1c5088',
            user_id: 1,
            content_id: 1445,
            time: 2117,
            percentage: 98,
            plays: 1,
            watched_at: '2026-10-02T22:40:16.475000Z',
            created_at: '2026-10-02T22:04:16.475000Z',
            updated_at: '2026-10-02T22:40:16.475000Z'
          }
        ],
        watchlist: [],
        hidden: [],
        removed: {
          history: [],
          watchlist: [],
          hidden: []
        },
        cursor: 'WzEsMTc5MDk4MDgxNjQ3NSwwLCI2YjA0Mzk5NTFiMDVlYTlhMmIxYzUwODgiLDAsMTc5NTQzODk5MDY3NiwxLDBd',
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
  'GET /sessions': {
    answer: {
      success: true,
      data: [
        {
          id: 'f8512bbd-9097-4fbd-94f2-1577c1365aaa',
          device: 'Living room TV',
          created_at: '2026-11-23T13:03:20.500000Z',
          last_used_at: '2026-11-23T13:03:20.697000Z',
          current: true
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
